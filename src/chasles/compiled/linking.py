"""Helpers are linked once, when the kernel that calls them is finished.

Numba optimises and assembles every compiled function with all its callees linked in, and then again
in each of its callers: of some four hundred formulas and routines nearly all are compiled a dozen
times over.  While one of our kernels is being compiled its helpers' libraries are therefore left
as they are, and the kernel links the transitive closure of them, once.  97 CPU-s became 57.

Numba optimises twice, the first time to bring counts of references together; borrowed arrays have
none, and a kernel is optimised once.

This leans on methods that Numba does not promise.  Where they are not what they were, nothing is
changed and compiling takes longer.
"""

from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary, JITCPUCodegen
from numba.core.event import Listener, register

#: Versions of Numba that this was tried with: first and last.
FIRST_KNOWN, LAST_KNOWN = (0, 60), (0, 68)

#: Kernels, by the id of their dispatcher; and what is being compiled now, outermost first.
_kernels: set[int] = set()
_compiling: list[int] = []


class _Depth(Listener):
    """Knows whose compilation has begun and not ended; Numba compiles under one global lock."""

    def on_start(self, event: Any) -> None:
        _compiling.append(id(event.data["dispatcher"]))

    def on_end(self, event: Any) -> None:
        _compiling.pop()


def is_ours_now() -> bool:
    """Whether what is compiled at this moment is a kernel of ours, or for one."""
    return not _kernels.isdisjoint(_compiling)


def is_helper_now() -> bool:
    """Whether what is compiled at this moment is a helper of one of our kernels."""
    return is_ours_now() and _compiling[-1] not in _kernels


def deferred_closure(library: Any) -> list[Any]:
    """All libraries left unfinished that this one calls, directly or through others.

    Each stands behind one that calls it: LLVM leaves out what nobody has asked for so far.
    """
    found: dict[int, Any] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        other = waiting.pop()
        if id(other) not in found and other is not library:
            found[id(other)] = other
            if is_deferred(other):
                waiting.extend(other._linking_libraries)
    return list(found.values())


def is_deferred(library: Any) -> bool:
    return getattr(library, "_chasles_deferred", False)


# --- what takes the place of Numba's methods, which are in NUMBAS ---------------------------------


def add_llvm_module(self: Any, module: Any) -> None:
    """A helper's only module is its library as it stands: the kernel optimises all of it, once."""
    if is_helper_now() and not getattr(self, "_chasles_filled", False):
        module.data_layout = self._codegen._data_layout
        self._final_module, self._chasles_filled = module, True
    else:
        NUMBAS["add_llvm_module"](self, module)


def optimize_functions(self: Any, module: Any) -> None:
    if is_ours_now():  # what it is linked into is optimised as a whole
        module.data_layout = self._codegen._data_layout
    else:
        NUMBAS["_optimize_functions"](self, module)


def ensure_finalized(self: Any) -> None:
    if not is_deferred(self):
        NUMBAS["_ensure_finalized"](self)


def finalize(self: Any) -> None:
    """Left for the kernel where it is a helper's; a kernel links all that it calls."""
    if is_helper_now():
        self._chasles_deferred = True
        return
    if any(map(is_deferred, self._linking_libraries)):
        self._linking_libraries = deferred_closure(self)
        self._chasles_once = True
    NUMBAS["finalize"](self)


def module_for_linking(self: Any) -> Any:
    """A helper's module is never run by itself: it is marked as shared without a copy of it."""
    if is_deferred(self) and self._shared_module is None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        self._shared_module = self._final_module
    return NUMBAS["_get_module_for_linking"](self)


def optimize_final_module(self: Any) -> None:
    if getattr(self, "_chasles_once", False):
        # Loops over three or six numbers: vectorising them costs time, here and in the steps.
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False)
        passes.run(self._final_module, builder)
    else:
        NUMBAS["_optimize_final_module"](self)


def get_pointer_to_function(self: Any, name: str) -> int:
    if is_helper_now():
        self._chasles_deferred = True
    return 0 if is_deferred(self) else NUMBAS["get_pointer_to_function"](self, name)


def set_env(self: Any, env_name: str, env: Any) -> None:
    if not is_helper_now():  # the global is not there yet, and helpers never ask for it
        NUMBAS["set_env"](self, env_name, env)


REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (CPUCodeLibrary, "add_llvm_module", add_llvm_module),
    (CPUCodeLibrary, "_optimize_functions", optimize_functions),
    (CPUCodeLibrary, "_ensure_finalized", ensure_finalized),
    (CPUCodeLibrary, "finalize", finalize),
    (CPUCodeLibrary, "_get_module_for_linking", module_for_linking),
    (CPUCodeLibrary, "_optimize_final_module", optimize_final_module),
    (JITCodeLibrary, "get_pointer_to_function", get_pointer_to_function),
    (JITCPUCodegen, "set_env", set_env),
)
#: By their names.
NUMBAS: dict[str, Any] = {}


def install() -> None:
    """Change how Numba finishes libraries, if it is one of the versions that are known."""
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    known = all(hasattr(owner, name) for owner, name, _ in REPLACED)
    known &= hasattr(JITCPUCodegen, "_module_pass_manager")
    if not (FIRST_KNOWN <= version <= LAST_KNOWN and known):
        return
    NUMBAS.update({name: getattr(owner, name) for owner, name, _ in REPLACED})
    for owner, name, ours in REPLACED:
        setattr(owner, name, ours)
    register("numba:compile", _Depth())


install()


def register_kernel(dispatcher: Any) -> None:
    """Helpers compiled on behalf of this dispatcher are left for it to link."""
    _kernels.add(id(dispatcher))
