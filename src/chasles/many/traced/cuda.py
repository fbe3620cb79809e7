"""A recorded step as CUDA C: one thread for a system, one line for an operation.

    chasles_steps(state, parameters, saved, observed, reached, count, origin, step, first, last,
                  end, every, first_row)

does for `count` systems what `loop_ir` does for those of a pack.  Arrays are (numbers, count), so
that neighbouring threads read neighbouring numbers; `saved` is (rows, kept, count), and nothing is
saved where it is null.  A system whose guard fails stops where it is and says which step it has
reached.

With `exact` every operation is rounded by itself, as on the CPU, whatever the options of the
compiler: sums, products, quotients and square roots have the CPU's bits.  Sines and the like are
those of the device's library, which differ in the last one.  Otherwise products and sums may be
rounded once; sums that keep their rounding error never are.
"""

from collections.abc import Sequence

from chasles.integrators.advance import MONITOR_EVERY
from chasles.many.traced.llvm_ir import inside, used_inputs
from chasles.many.traced.loop_ir import ACCUMULATED
from chasles.many.traced.record import Recording
from chasles.scalars.nodes import PAIRS, Place, Program

KERNEL = "chasles_steps"
ROUNDED = {"add": "__dadd_rn", "subtract": "__dsub_rn", "multiply": "__dmul_rn",
           "divide": "__ddiv_rn"}  # fmt: skip
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
#: Words of C that are not those of the primitives.
WORDS = {"absolute": "fabs", "sqrt": "__dsqrt_rn"}
HEAD = """\
// {title}
// Written by chasles: {operations} operations a step, {guards} guards, {mode}.
// One thread for a system; arrays are (numbers, count).  Block of a state: {width} numbers.

{pairs}
extern "C" __global__ void {name}(
    double *state, const double *parameters, double *saved, double *observed, long long *reached,
    long long count, double origin, double step,
    long long first, long long last, long long end, long long every, long long first_row)
{{
    const long long own = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (own >= count) return;
"""
LOOP = """\
    long long index = first, save = (first / every + 1) * every;
    long long slot = first / every + 1 - first_row;
    for (; index < last; ++index) {
        const long long next = index + 1;
        const double t0 = __dadd_rn(origin, __dmul_rn(step, (double)index));
        const double t1 = __dadd_rn(origin, __dmul_rn(step, (double)next));
"""
KEEP = """\
        if (next == save) {{
            if (saved) {{
                double *row = saved + slot * {kept}LL * count + own;
{saved}            }}
{observed}            save += every;
            slot += 1;
        }}
    }}
    reached[own] = index;
"""


class Source:
    """Lines of a block of C."""

    def __init__(self, exact: bool, prefix: str, indent: str) -> None:
        self.exact, self.prefix, self.indent = exact, prefix, indent
        self.lines: list[str] = []
        self.count = 0

    def put(self, line: str) -> None:
        self.lines.append(f"{self.indent}{line}")

    def value(self, name: str, a: Sequence[str]) -> str:
        """What an operation is in C."""
        if name in SIGNS:
            if self.exact:
                return f"{ROUNDED[name]}({a[0]}, {a[1]})"
            return f"{a[0]} {SIGNS[name]} {a[1]}"
        if name == "negative":
            return f"-{a[0]}"
        if name == "maximum":
            return f"{a[1]} > {a[0]} ? {a[1]} : {a[0]}"
        if name.startswith("pick "):
            return f"{a[0]} {name.removeprefix('pick ')} {a[1]} ? {a[2]} : {a[3]}"
        return f"{WORDS.get(name, name)}({', '.join(a)})"

    def apply(self, name: str, operands: Sequence[str]) -> str | tuple[str, str]:
        """A line for an operation, and the word for its result, or for both of them."""
        self.count += 1
        own = f"{self.prefix}{self.count}"
        if name not in PAIRS:
            self.put(f"const double {own} = {self.value(name, operands)};")
            return own
        self.put(f"double {own}a, {own}b; {name}({', '.join(operands)}, &{own}a, &{own}b);")
        return f"{own}a", f"{own}b"

    def program(self, program: Program, inputs: Sequence[str]) -> tuple[list[str], str]:
        """All nodes: words for the outputs, and whether all guards hold."""
        outputs, sides = program.read(inputs, self.apply, number)
        conditions = []
        for guard, (left, right) in zip(program.guards, sides):
            compared = f"({left} {guard.name} {right})"
            conditions.append(compared if guard.outcome else f"!{compared}")
        return outputs, " && ".join(conditions) or "1"


def number(value: float) -> str:
    """A constant to the last bit."""
    value = float(value)
    if value != value:
        return "__longlong_as_double(0x7ff8000000000000LL)"
    if value in (float("inf"), float("-inf")):
        sign = "-" if value < 0 else ""
        return f"{sign}__longlong_as_double(0x7ff0000000000000LL)"
    text = repr(value)  # the shortest decimals that lead back to it; hexadecimal ones need C++17
    return f"({text})" if text.startswith("-") else text


def committed(source: Source, names: Sequence[str], outputs: Sequence[str]) -> None:
    """Variables take new values, all at once."""
    changes = [(n, o) for n, o in zip(names, outputs, strict=True) if n != o]
    variables = set(names)
    for name, output in changes:
        if output in variables:  # one that another line may change first
            source.put(f"const double old_{word_of(name)} = {output};")
    for name, output in changes:
        kept = output in variables
        source.put(f"{name} = {'old_' + word_of(name) if kept else output};")


def word_of(name: str) -> str:
    """A place as part of a name."""
    return "".join(letter for letter in name if letter.isalnum())


def moved_by(recording: Recording) -> set[int]:
    """Numbers of the block that a step reads or writes."""
    program = recording.step
    used = used_inputs(program)
    return {k for k, x in enumerate(program.outputs) if used[k] or x != Place(k)}


def cuda_source(
    recording: Recording, kept: int, exact: bool = True, observe: Program | None = None,
    title: str = "a step",
) -> str:  # fmt: skip
    """The text of a kernel; it compiles by itself, with nvcc or NVRTC."""
    width = recording.width
    states = [f"s{k}" for k in range(width)]
    parameters = [f"p{k}" for k in range(recording.parameters)]
    text = HEAD.format(
        title=title, operations=len(recording.step.nodes), guards=len(recording.step.guards),
        mode="rounded as on the CPU" if exact else "products and sums rounded once",
        width=width, name=KERNEL, pairs="\n".join(pair_source(name) for name in PAIRS),
    )  # fmt: skip
    moving = moved_by(recording)
    for k in range(width):  # what no step looks at stays in memory, and leaves registers free
        if k not in moving:
            states[k] = f"state[{k}LL * count + own]"
    variables = [(states[k], f"state[{k}LL * count + own]") for k in sorted(moving)]
    text += "".join(f"    double {name} = {place};\n" for name, place in variables)
    for k, name in enumerate(parameters):
        text += f"    const double {name} = parameters[{k}LL * count + own];\n"
    body = Source(exact, "v", " " * 8)
    outputs, holds = body.program(recording.step, [*states, "t0", "t1", *parameters])
    body.put(f"if (!({holds})) break;")
    look, plain = Source(exact, "w", " " * 12), Source(exact, "", " " * 12)
    seen, holds = look.program(recording.monitor, [*outputs, "t1", *parameters])
    look.put(f"if (!({holds})) break;")
    committed(look, states, seen)
    committed(plain, states, outputs)
    text += LOOP + "\n".join(body.lines) + "\n"
    text += f"        if (next % {MONITOR_EVERY} == 0 || next == end) {{\n"
    text += "\n".join([*look.lines, "        } else {", *plain.lines]) + "\n        }\n"
    rows = "".join(f"                row[{k}LL * count] = {states[k]};\n" for k in range(kept))
    observed = "" if observe is None else observation(observe, exact, states, parameters)
    text += KEEP.format(kept=kept, saved=rows, observed=observed)
    text += "".join(f"    {place} = {name};\n" for name, place in variables)
    return text + "}\n"


def pair_source(name: str) -> str:
    """A function of two results, each of its operations rounded by itself."""
    program, body = inside(name), Source(True, "v", " " * 4)
    given = [f"a{k}" for k in range(program.inputs)]
    (high, low), _ = body.program(program, given)
    body.put(f"*high = {high};")
    body.put(f"*low = {low};")
    taken = ", ".join(f"double {word}" for word in given)
    head = f"__device__ static void {name}({taken}, double *high, double *low) {{"
    return "\n".join([head, *body.lines, "}", ""])


def observation(
    program: Program, exact: bool, states: Sequence[str], parameters: Sequence[str]
) -> str:
    """Quantities, and what is accumulated of them."""
    source = Source(exact, "q", " " * 12)
    outputs, _ = source.program(program, [*states, "t1", *parameters])
    for k, value in enumerate(outputs):
        place = [f"observed[{k * ACCUMULATED + part}LL * count + own]" for part in range(4)]
        source.put(f"if ({value} > {place[0]}) {place[0]} = {value};")
        source.put(f"if ({value} < {place[1]}) {place[1]} = {value};")
        source.put(f"{place[2]} = __dadd_rn({place[2]}, {value});")
        source.put(f"{place[3]} = {value};")
    return "\n".join(source.lines) + "\n"
