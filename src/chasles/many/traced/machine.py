"""From LLVM IR to machine code that Python calls: of one system, or of packs of them in lanes.

Object code is kept on disk.  A file is named after everything that it depends on: the text, the
processor and the version of LLVM.  Recordings of the last calls are kept in memory: to record a
step and to compile it takes longer than many runs.
"""

import ctypes
import hashlib
import threading
from collections import OrderedDict
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, NamedTuple

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from chasles.compiled.cache import drop_stale, open_folder, read_whole, write_whole
from chasles.core.arrays import Floats
from chasles.many.traced.adjoint import adjoint
from chasles.many.traced.loop_ir import ARRAYS, BACK, PACKS, back_ir, packs_ir, run_ir
from chasles.many.traced.record import Recording
from chasles.scalars.nodes import Program

#: Changed whenever files of older versions would be misread.
FORMAT = 1
#: Object files that are kept on disk, machine code in memory, and models with their recordings.
KEPT, KEPT_IN_MEMORY, MOST = 200, 64, 16
NAME = "traced"
WASM = "wasm32-unknown-unknown"
POINTER, NUMBER, WHOLE = ctypes.c_void_p, ctypes.c_double, ctypes.c_int64
TIMES = (NUMBER,) * 2 + (WHOLE,) * 5
Grid = tuple[float, float, int, int, int]  # origin, step, first, last, end
_lock = threading.RLock()


def target() -> Any:
    """The processor at hand."""
    initialise()
    features = llvm.get_host_cpu_features().flatten()
    found = llvm.Target.from_default_triple()
    return found.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=features,
        opt=2,
        reloc="default",
        codemodel="jitdefault",
    )


def webassembly() -> Any:
    """What a page runs."""
    initialise()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(WASM).create_target_machine(opt=2)


@cache
def initialise() -> None:
    with suppress(RuntimeError):  # newer versions do so by themselves, and say so
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def described(machine: Any) -> str:
    """A target, and the version of LLVM."""
    versions = f"{FORMAT} {llvmlite.__version__} {llvm.llvm_version_info}"
    if machine.triple == WASM:
        return f"{versions} {WASM}"
    return f"{versions} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


class Code:
    """Functions of a module in memory."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def function(self, name: str, *kinds: Any, result: Any = None) -> Any:
        """A function by its name, which keeps the module alive; calls release the global lock."""
        found: Any = ctypes.CFUNCTYPE(result, *kinds)(self.engine.get_function_address(name))
        found.module = self
        return found


def compiled(text: str) -> Code:
    """Machine code of a module: from disk, or made now and kept there."""
    with _lock:
        return loaded(object_code(text))


def object_code(text: str, machine: Any = None) -> bytes:
    """The object file of a module, for the processor at hand or for WebAssembly.

    None of LLVM's passes over IR is run: the programs are shared, trimmed and scheduled already,
    and all of them together gain one percent for twice the time to compile.
    """
    machine = machine or target()
    key = hashlib.sha256(f"{described(machine)}\n{text}".encode()).hexdigest()[:32]
    folder = open_folder()
    path = None if folder is None else folder / f"{NAME}-{key}.kernel"
    if path is not None:
        with suppress(OSError, ValueError):
            return read_whole(path)
    module = llvm.parse_assembly(text)
    module.verify()
    made: bytes = machine.emit_object(module)
    if folder is not None and path is not None:
        with suppress(OSError):
            write_whole(path, made)
            drop_stale(folder, NAME, KEPT)
    return made


def loaded(content: bytes) -> Code:
    """An object file in memory, its calls of libm resolved."""
    machine = target()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    return Code(engine)


# --- steps ---


class MachineCode:
    """Steps of packs of systems in lanes, or of one system."""

    def __init__(self, text: str) -> None:
        kinds = (POINTER,) * len(ARRAYS) + (WHOLE,) * 2 + TIMES
        self.run = compiled(text).function(PACKS, *kinds)

    def __call__(
        self, states: Floats, parameters: Floats, saved: Floats, observed: Floats, grid: Grid,
        every: int, first_row: int,
    ) -> Any:  # fmt: skip
        """Arrays (packs, numbers, lanes) in place: the steps reached."""
        packs, _, lanes = states.shape
        reached = np.zeros(packs * lanes, np.int64)
        arrays = (states, parameters, saved, reached, observed)
        given = (x.ctypes.data for x in arrays)
        self.run(*given, packs, saved.shape[1], *grid, every, first_row)
        return reached

    def of_one(
        self, block: Floats, parameters: Floats, saved: Floats, grid: Grid, every: int = 2**62,
        first_row: int = 0,
    ) -> int:  # fmt: skip
        """Steps while guards hold, in place: the step reached."""
        alone = block.reshape(1, -1, 1)
        return int(self(alone, parameters, saved[None], alone, grid, every, first_row)[0])


class Variant(NamedTuple):
    """A recording of the step, and its machine code: of one system, of packs, or for a device."""

    recording: Recording
    code: Any


@lru_cache(maxsize=KEPT_IN_MEMORY)
def machine_code(
    recording: Recording, kept: int, contract: bool = False, lanes: int = 1,
    observe: Program | None = None,
) -> MachineCode:  # fmt: skip
    """Of one system, or of packs of several."""
    text = run_ir(recording, kept, lanes, contract, observe)
    return MachineCode(text + packs_ir(recording, kept, lanes, observe))


@lru_cache(maxsize=KEPT_IN_MEMORY)
def adjoint_code(recording: Recording) -> Any:
    """The function that goes back along steps, see `back_ir`."""
    text = back_ir(adjoint(recording.step), recording.width, recording.parameters)
    kinds = (POINTER,) * 5 + (NUMBER,) * 2 + (WHOLE,) * 2
    return compiled(text).function(BACK, *kinds)


class Shelf:
    """Lists of recordings by a digest of all that they depend on; the last used ones stay."""

    def __init__(self) -> None:
        self.lists: OrderedDict[str, list[Any]] = OrderedDict()

    def of(self, *parts: Any) -> list[Any]:
        """The list of what is told by its bytes, or by its repr."""
        contents = (part if isinstance(part, bytes) else repr(part).encode() for part in parts)
        key = hashlib.sha256(b"|".join(contents)).hexdigest()
        found = self.lists.setdefault(key, [])
        self.lists.move_to_end(key)
        while len(self.lists) > MOST:
            self.lists.popitem(last=False)
        return found
