"""From LLVM IR to machine code, kept on disk by content.

A file is named after everything that the object code depends on: the text, the processor and the
version of LLVM.
"""

import ctypes
import hashlib
import threading
from contextlib import suppress
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from chasles.compiled.cache import drop_stale, open_folder, read_whole, write_whole

#: Changed whenever files of older versions would be misread.
FORMAT = 1
#: Object files that are kept.
KEPT = 200
NAME = "traced"
WASM = "wasm32-unknown-unknown"
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
    """Functions of a module in memory, alive as long as this is."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def function(self, name: str, *kinds: Any, result: Any = None) -> Any:
        """A function by its name; calls release the interpreter's lock."""
        return ctypes.CFUNCTYPE(result, *kinds)(self.engine.get_function_address(name))


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
