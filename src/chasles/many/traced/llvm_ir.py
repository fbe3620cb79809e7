"""A node list as LLVM IR, with the rounding of the generic kernel.

The generic kernel is compiled without any license to change the arithmetic, so the same operations
in the same order give the same bits, whatever else is done to them.  Functions are those that Numba
calls: sqrt is an instruction, sin, cos, exp and log are LLVM's names for those of libm, the others
are libm's.  With `contract` products and sums may be rounded once (FMA); sums that keep their
rounding error never are.
"""

import struct
from collections.abc import Sequence
from functools import cache

from chasles.many.traced.record import NotTraceable
from chasles.scalars.nodes import ARITY, OF_MATH, PAIRS, PRIMITIVES, Place, Program, places_of
from chasles.scalars.traced import recorded

#: Names of instructions.
INSTRUCTIONS = {"add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv"}
#: Functions that LLVM knows, and those that it does not.
INTRINSICS = {
    **{name: name for name in ("sqrt", "sin", "cos", "exp", "log", "floor")}, "absolute": "fabs"
}  # fmt: skip
LIBRARY = tuple(name for name in OF_MATH if name not in INTRINSICS)
#: How comparisons are said; of NaN only "!=" is true.
PREDICATES = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}


class Body:
    """Instructions of a basic block on doubles, or on vectors of so many."""

    def __init__(self, lanes: int = 1, contract: bool = False, prefix: str = "v") -> None:
        self.lanes, self.prefix = lanes, prefix
        self.kind = "double" if lanes == 1 else f"<{lanes} x double>"
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"
        self.flags = "contract " if contract else ""
        self.lines: list[str] = []
        self.declared: set[str] = set()
        self.count = 0

    # --- words ---

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.prefix}{self.count}"

    def put(self, instruction: str) -> str:
        """An instruction, and the name of its result."""
        name = self.fresh()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def constant(self, number: float) -> str:
        word = f"0x{struct.pack('>d', float(number)).hex().upper()}"
        if self.lanes == 1:
            return word
        return "<" + ", ".join([f"double {word}"] * self.lanes) + ">"

    # --- arrays (numbers, lanes) ---

    def address(self, array: str, k: int) -> str:
        return self.put(f"getelementptr double, ptr %{array}, i64 {k * self.lanes}")

    def load(self, array: str, k: int) -> str:
        return self.put(f"load {self.kind}, ptr {self.address(array, k)}, align 8")

    def loaded(self, array: str, used: Sequence[bool]) -> list[str]:
        return [self.load(array, k) if asked else "poison" for k, asked in enumerate(used)]

    def inputs(
        self, program: Program, width: int, times: Sequence[str], parameters: int
    ) -> list[str]:
        """Words for the inputs of a program: (block, times, parameters)."""
        used, at = used_inputs(program), width + len(times)
        found = [*self.loaded("state", used[:width]), *times]
        return found + self.loaded("parameters", used[at : at + parameters])

    def store(self, array: str, k: int, word: str, mask: str = "") -> None:
        """All lanes, or those of a mask."""
        if mask:
            word = self.select(mask, word, self.load(array, k))
        place = self.address(array, k)
        self.lines.append(f"  store {self.kind} {word}, ptr {place}, align 8")

    def splat(self, word: str, kind: str = "double") -> str:
        """The same number in all lanes."""
        if self.lanes == 1:
            return word
        vector = f"<{self.lanes} x {kind}>"
        one = self.put(f"insertelement {vector} poison, {kind} {word}, i32 0")
        mask = f"<{self.lanes} x i32> zeroinitializer"
        return self.put(f"shufflevector {vector} {one}, {vector} poison, {mask}")

    # --- arithmetic ---

    def binary(self, name: str, a: str, b: str, flags: str = "") -> str:
        return self.put(f"{name} {flags}{self.kind} {a}, {b}")

    def call(self, name: str, *operands: str) -> str:
        """A function that LLVM knows."""
        full = f"@llvm.{name}.{self.suffix}"
        kinds = ", ".join([self.kind] * len(operands))
        self.declared.add(f"declare {self.kind} {full}({kinds})")
        given = ", ".join(f"{self.kind} {x}" for x in operands)
        return self.put(f"call {self.kind} {full}({given})")

    def library(self, name: str, *operands: str) -> str:
        """A function of libm, lane by lane."""
        kinds = ", ".join(["double"] * len(operands))
        self.declared.add(f"declare double @{name}({kinds}) nounwind willreturn memory(none)")
        if self.lanes == 1:
            given = ", ".join(f"double {x}" for x in operands)
            return self.put(f"call double @{name}({given})")
        result = "poison"
        for lane in range(self.lanes):
            parts = [self.put(f"extractelement {self.kind} {x}, i32 {lane}") for x in operands]
            given = ", ".join(f"double {x}" for x in parts)
            value = self.put(f"call double @{name}({given})")
            result = self.put(f"insertelement {self.kind} {result}, double {value}, i32 {lane}")
        return result

    def compare(self, name: str, a: str, b: str) -> str:
        return self.put(f"fcmp {PREDICATES[name]} {self.kind} {a}, {b}")

    def select(self, condition: str, a: str, b: str) -> str:
        bits = self.bits
        return self.put(f"select {bits} {condition}, {self.kind} {a}, {self.kind} {b}")

    @property
    def bits(self) -> str:
        """The type of conditions."""
        return "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"

    @property
    def true(self) -> str:
        return "true" if self.lanes == 1 else "<" + ", ".join(["i1 true"] * self.lanes) + ">"

    # --- nodes ---

    def apply(self, name: str, a: Sequence[str]) -> str | tuple[str, ...]:
        """The result of a primitive, or its results."""
        if name in INSTRUCTIONS:
            return self.binary(INSTRUCTIONS[name], a[0], a[1], self.flags)
        if name in INTRINSICS:
            return self.call(INTRINSICS[name], *a)
        if name in LIBRARY:
            return self.library(name, *a)
        if name.startswith("pick "):
            return self.select(self.compare(name.removeprefix("pick "), a[0], a[1]), a[2], a[3])
        if name == "power":
            raise NotTraceable("a power that is not a square")
        if name in PAIRS:
            return self.pair(name, a)
        return self.negative(*a) if name == "negative" else self.maximum(*a)

    def negative(self, a: str) -> str:
        return self.put(f"fneg {self.kind} {a}")

    def maximum(self, a: str, b: str) -> str:
        return self.select(self.compare(">", b, a), b, a)

    def minimum(self, a: str, b: str) -> str:
        return self.select(self.compare("<", b, a), b, a)

    def pair(self, name: str, a: Sequence[str]) -> tuple[str, ...]:
        """A sum or product and its rounding error: never contracted."""
        flags, self.flags = self.flags, ""
        found, _ = self.program(inside(name), a)
        self.flags = flags
        return tuple(found)

    def program(self, program: Program, inputs: Sequence[str]) -> tuple[list[str], str]:
        """All nodes: the words for the outputs, and for whether all guards hold."""
        outputs, sides = program.read(inputs, self.apply, self.constant)
        result = self.true
        for guard, two in zip(program.guards, sides):
            holds = self.compare(guard.name, *two)
            if not guard.outcome:
                holds = self.put(f"xor {self.bits} {holds}, {self.true}")
            result = self.put(f"and {self.bits} {result}, {holds}")
        return outputs, result


def used_inputs(program: Program) -> list[bool]:
    """Which inputs a program looks at."""
    asked = [x for node in program.nodes for x in node.operands]
    asked += [x for guard in program.guards for x in (guard.left, guard.right)]
    asked += [x for k, x in enumerate(program.outputs) if x != Place(k)]
    indices = set(places_of(asked))
    return [k in indices for k in range(program.inputs)]


@cache
def inside(name: str) -> Program:
    """What a node of two results is made of."""
    return recorded(lambda numbers: PRIMITIVES[name](*numbers), [1.0] * ARITY[name])
