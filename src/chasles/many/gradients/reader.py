r"""Listings are read by three loops in LLVM IR: one text for all models.

    void values(double *values, double *slopes, i32 *rows, i32 *runs, i64 count)

evaluates the program on what stands in the slots of its inputs and constants;

    void slopes(...)

does so with LANES derivatives for every number, $\dot y = \sum_i \partial_i f\,\dot x_i$; and

    void back(...)

goes back over what `values` left: weights that came to a result are shared out to its operands,
$\bar x_i \mathrel{+}= \partial_i f\,\bar y$, and taken from it.  The partial derivatives of
every operation are those of `traced.adjoint`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from chasles.core.arrays import Floats
from chasles.many.gradients.listing import CODES, listing_of, results_of
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.machine import POINTER, WHOLE, compiled
from chasles.scalars.nodes import ARITY, PAIRS, Node, Place, Program

#: Derivatives that are carried along at once: one vector of the widest processors.
LANES = 8
VALUES, SLOPES, BACK = "chasles_values", "chasles_slopes", "chasles_back_read"
HEAD = """define void @{name}(ptr %values, ptr %slopes, ptr noalias %rows, ptr noalias %runs,
    i64 %count) {{
entry:
  %last = sub i64 %count, 1
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %r = phi i64 [ 0, %entry ], [ %r1, %latch ]
  %index = {index}
  %at = mul i64 %index, 3
  %code_at = getelementptr i32, ptr %runs, i64 %at
  %first_at = getelementptr i32, ptr %code_at, i64 1
  %many_at = getelementptr i32, ptr %code_at, i64 2
  %code = load i32, ptr %code_at
  %first32 = load i32, ptr %first_at
  %many32 = load i32, ptr %many_at
  %first = zext i32 %first32 to i64
  %many = zext i32 %many32 to i64
  switch i32 %code, label %latch [ {cases} ]
"""
TAIL = """latch:
  %r1 = add i64 %r, 1
  %more = icmp slt i64 %r1, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


class RowCode(Body):
    """Instructions for one row: its slots are read, and what stands there."""

    def __init__(self, name: str, code: int, contract: bool) -> None:
        super().__init__(contract=contract, prefix=f"o{code}_")
        self.name, self.results, self.arity = name, results_of(name), ARITY[name]
        self.slots = [self.slot(k) for k in range(self.results + self.arity)]

    def slot(self, k: int) -> str:
        place = self.put(f"getelementptr i32, ptr %{self.prefix}row, i64 {k}")
        return self.put(f"zext i32 {self.put(f'load i32, ptr {place}')} to i64")

    def at(self, array: str, slot: str, lanes: int = 1) -> str:
        index = slot if lanes == 1 else self.put(f"mul i64 {slot}, {lanes}")
        return self.put(f"getelementptr double, ptr %{array}, i64 {index}")

    def read(self, array: str, slot: str) -> str:
        return self.put(f"load double, ptr {self.at(array, slot)}")

    def write(self, array: str, slot: str, word: str) -> None:
        place = self.at(array, slot)
        self.lines.append(f"  store double {word}, ptr {place}")

    def operands(self) -> list[str]:
        return [self.read("values", slot) for slot in self.slots[self.results :]]

    def evaluate(self, operands: list[str]) -> None:
        """The values of the results; never contracted, to be those of a run to the last bit."""
        flags, self.flags = self.flags, ""
        found = self.apply(self.name, operands)
        self.flags = flags
        words = (found,) if isinstance(found, str) else found
        for slot, word in zip(self.slots[: self.results], words, strict=True):
            self.write("values", slot, word)

    def looped(self, code: int) -> str:
        """The loop over the rows of a run."""
        p, stride = self.prefix, self.results + self.arity
        head = [
            f"op{code}:", f"  br label %rows{code}", f"rows{code}:",
            f"  %{p}k = phi i64 [ 0, %op{code} ], [ %{p}k1, %rows{code} ]",
            f"  %{p}at = phi i64 [ %first, %op{code} ], [ %{p}at1, %rows{code} ]",
            f"  %{p}row = getelementptr i32, ptr %rows, i64 %{p}at",
        ]  # fmt: skip
        tail = [
            f"  %{p}k1 = add i64 %{p}k, 1", f"  %{p}at1 = add i64 %{p}at, {stride}",
            f"  %{p}more = icmp slt i64 %{p}k1, %many",
            f"  br i1 %{p}more, label %rows{code}, label %latch",
        ]  # fmt: skip
        return "\n".join([*head, *self.lines, *tail]) + "\n"


def partials(name: str) -> Program:
    """(operands, weights of results) -> weights of operands, of one operation."""
    arity = ARITY[name]
    places = tuple(Place(k) for k in range(arity))
    nodes = [Node(name, places)]
    outputs = [Place(arity)]
    if name in PAIRS:
        nodes += [Node("part", (Place(arity), part)) for part in (0, 1)]
        outputs = [Place(arity + 1), Place(arity + 2)]
    return adjoint(Program(arity, tuple(nodes), (), tuple(outputs)))


def value_row(name: str, code: int) -> RowCode:
    row = RowCode(name, code, contract=False)
    row.evaluate(row.operands())
    return row


def back_row(name: str, code: int) -> RowCode:
    row = RowCode(name, code, contract=True)
    program, zero = partials(name), row.constant(0.0)
    weights = [row.read("slopes", slot) for slot in row.slots[: row.results]]
    for slot in row.slots[: row.results]:
        row.write("slopes", slot, zero)
    words, _ = row.program(program, [*row.operands(), *weights])
    for slot, word, weight in zip(row.slots[row.results :], words, program.outputs, strict=True):
        if isinstance(weight, Place):  # others are zero
            before = row.read("slopes", slot)  # one by one: operands may be the same
            row.write("slopes", slot, row.binary("fadd", before, word))
    return row


def slope_row(name: str, code: int) -> RowCode:
    row = RowCode(name, code, contract=True)
    vector, program, operands = f"<{LANES} x double>", partials(name), row.operands()
    one = row.constant(1.0)
    words, _ = row.program(program, [*operands, one, *[one] * (row.results - 1)])
    total = "zeroinitializer"
    for k, (slot, word, weight) in enumerate(
        zip(row.slots[row.results :], words, program.outputs, strict=True)
    ):
        if not isinstance(weight, Place):
            continue
        along = row.put(f"load {vector}, ptr {row.at('slopes', slot, LANES)}, align 8")
        if weight != Place(row.arity):  # that itself is the derivative 1
            single = row.put(f"insertelement {vector} poison, double {word}, i32 0")
            each = row.put(
                f"shufflevector {vector} {single}, {vector} poison, <{LANES} x i32> zeroinitializer"
            )
            along = row.put(f"fmul contract {vector} {each}, {along}")
        total = along if k == 0 else row.put(f"fadd contract {vector} {total}, {along}")
    row.evaluate(operands)
    for number, slot in enumerate(row.slots[: row.results]):
        place = row.at("slopes", slot, LANES)
        word = total if number == 0 else "zeroinitializer"  # what is lost in rounding is constant
        row.lines.append(f"  store {vector} {word}, ptr {place}, align 8")
    return row


def reader_ir() -> str:
    """The text of a module with all three."""
    cases = " ".join(f"i32 {code}, label %op{code}" for code in CODES.values())
    text, declared = "", set[str]()
    for function, make in ((VALUES, value_row), (SLOPES, slope_row), (BACK, back_row)):
        index = "sub i64 %last, %r" if function == BACK else "add i64 0, %r"
        text += HEAD.format(name=function, index=index, cases=cases)
        for name, code in CODES.items():
            row = make(name, code)
            text += row.looped(code)
            declared |= row.declared
        text += TAIL.format()
    return text + "\n".join(sorted(declared)) + "\n"


# --- the loops in memory ---


@cache
def readers() -> dict[str, Any]:
    """The same for all models, made once in a tenth of a second."""
    code, kinds = compiled(reader_ir()), (POINTER,) * 4 + (WHOLE,)
    return {name: code.function(name, *kinds) for name in (VALUES, SLOPES, BACK)}


class ListEvaluator:
    """A program to be read; with `lanes` it carries derivatives along, without it goes back."""

    def __init__(self, program: Program, lanes: bool = False) -> None:
        self.listing = listing = listing_of(program, reuse=lanes)
        first = len(listing.numbers)
        self.values = np.zeros(listing.size)
        self.values[:first] = listing.numbers
        self.slopes = np.zeros((listing.size, LANES) if lanes else listing.size)
        self.inputs = slice(first, first + program.inputs)
        self._arguments = (
            self.values.ctypes.data, self.slopes.ctypes.data, listing.rows.ctypes.data,
            listing.runs.ctypes.data, len(listing.runs),
        )  # fmt: skip
        self._readers = readers()

    def evaluate(
        self, inputs: Floats | Sequence[float], slopes: Floats | None = None
    ) -> Floats | None:
        """The outputs, or None where a guard fails.

        `slopes` (inputs, LANES) are those along which they are differentiated, if they are, and
        `output_slopes` what becomes of them.
        """
        self.values[self.inputs] = inputs
        if slopes is not None:
            self.slopes[self.inputs] = slopes
        self._readers[VALUES if slopes is None else SLOPES](*self._arguments)
        if not self.listing.holds(self.values):
            return None
        found: Floats = self.values[self.listing.outputs]
        return found

    def output_slopes(self) -> Floats:
        found: Floats = self.slopes[self.listing.outputs]
        return found

    def back(self, weights: Floats) -> Floats:
        """Weights of the inputs from those of the outputs, at what was evaluated last."""
        np.add.at(self.slopes, self.listing.outputs, weights)
        self._readers[BACK](*self._arguments)
        found: Floats = self.slopes[self.inputs].copy()
        self.slopes[: self.inputs.stop] = 0.0  # those of constants, too
        return found
