"""From LLVM IR to a WebAssembly module that a page can run, without a linker.

An object file of one module is a module already, but for its exports: it asks for its memory and
for functions of libm, and its last function is the one that was defined.  What only linkers read is
left out.
"""

from collections.abc import Iterator, Sequence

from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.machine import WASM, object_code, webassembly
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import OF_MATH, Program

MAGIC = 8  # bytes of the header
CUSTOM, IMPORTS, FUNCTIONS, EXPORTS = 0, 2, 3, 7  # kinds of sections
FUNCTION, TABLE, MEMORY, GLOBAL = range(4)  # kinds of imports
READ = "chasles_read"
#: What libm and not IEEE 754 decides: its last bits may differ from those of Python.
INEXACT = set(OF_MATH) - {"sqrt"}


def wasm_module(text: str, name: str) -> tuple[bytes, list[str]]:
    """A module that exports the function of some IR by its name, and the names that it imports."""
    machine = webassembly()
    head = f'target triple = "{WASM}"\ntarget datalayout = "{machine.target_data}"\n'
    return exporting(object_code(head + text, machine), name)


def read_ir(program: Program, width: int) -> str:
    """void read(double *state, double t, double *parameters, double *out): quantities of a state.

    `program` is (block, time, parameters) -> quantities.
    """
    body, ordered = Body(), scheduled(program)
    inputs = body.inputs(ordered, width, ["%t"], ordered.inputs - width - 1)
    outputs, _ = body.program(ordered, inputs)
    for k, output in enumerate(outputs):
        body.store("out", k, output)
    head = f"define void @{READ}(ptr %state, double %t, ptr %parameters, ptr noalias %out) {{\n"
    return "\n".join([head + "entry:", *body.lines, "  ret void", "}", *sorted(body.declared), ""])


# --- the binary format ---


def exporting(data: bytes, name: str) -> tuple[bytes, list[str]]:
    """An object file with an export of its last function, and what it imports."""
    kept = [(kind, body) for kind, body in sections(data) if kind != CUSTOM]
    asked = [entry for kind, body in kept if kind == IMPORTS for entry in imports(body)]
    imported = sum(kind == FUNCTION for _, kind in asked)
    defined = next(number(body, 0)[0] for kind, body in kept if kind == FUNCTIONS)
    entry = leb(1) + leb(len(name)) + name.encode() + bytes([FUNCTION])
    entry += leb(imported + defined - 1)
    before = [section for section in kept if section[0] < EXPORTS]
    after = [section for section in kept if section[0] > EXPORTS]
    whole = [*before, (EXPORTS, entry), *after]
    parts = (bytes([kind]) + leb(len(body)) + body for kind, body in whole)
    return data[:MAGIC] + b"".join(parts), [name for name, _ in asked]


def sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = MAGIC
    while at < len(data):
        kind = data[at]
        size, first = number(data, at + 1)
        yield kind, data[first : first + size]
        at = first + size


def imports(body: bytes) -> Iterator[tuple[str, int]]:
    """Names of imports, and their kinds."""
    count, at = number(body, 0)
    for _ in range(count):
        _, at = word(body, at)
        name, at = word(body, at)
        kind, at = body[at], at + 1
        if kind == FUNCTION:
            _, at = number(body, at)
        elif kind == GLOBAL:
            at += 2  # its type, and whether it changes
        else:
            at = limits(body, at + (kind == TABLE))
        yield name, kind


def limits(body: bytes, at: int) -> int:
    """Behind the smallest size of a table or memory, and the largest if there is one."""
    bounded = body[at] & 1
    _, at = number(body, at + 1)
    return number(body, at)[1] if bounded else at


def word(data: bytes, at: int) -> tuple[str, int]:
    length, at = number(data, at)
    return data[at : at + length].decode(), at + length


def number(data: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, and where it ends."""
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def leb(value: int) -> bytes:
    groups: list[int] = []
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    return bytes([*groups, value])


def inexact(names: Sequence[str]) -> list[str]:
    """Functions among imports whose last bits nobody promises."""
    return sorted(set(names) & INEXACT)
