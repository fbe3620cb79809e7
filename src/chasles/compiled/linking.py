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


def is_helper_now() -> bool:
    """Whether what is compiled at this moment is a helper of one of our kernels."""
    return len(_compiling) > 1 and _compiling[0] in _kernels


def deferred_closure(library: Any) -> list[Any]:
    """All libraries left unfinished that this one calls, directly or through others."""
    found: dict[int, Any] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        other = waiting.pop()
        if id(other) not in found and other is not library:
            found[id(other)] = other
            if getattr(other, "_chasles_deferred", False):
                waiting.extend(other._linking_libraries)
    return list(found.values())


def install() -> bool:
    """Change how Numba finishes libraries; whether that could be done."""
    version = tuple(int(part) for part in numba.__version__.split(".")[:2])
    methods = all(
        hasattr(owner, name)
        for owner, names in (
            (CPUCodeLibrary, ("finalize", "_ensure_finalized", "_optimize_functions")),
            (CPUCodeLibrary, ("_optimize_final_module",)),
            (JITCodeLibrary, ("get_pointer_to_function",)),
            (JITCPUCodegen, ("set_env", "_module_pass_manager")),
        )
        for name in names
    )
    if not (FIRST_KNOWN <= version <= LAST_KNOWN and methods):
        return False
    finalize, pointer = CPUCodeLibrary.finalize, JITCodeLibrary.get_pointer_to_function
    set_env, optimize_final = JITCPUCodegen.set_env, CPUCodeLibrary._optimize_final_module
    ensure, optimize = CPUCodeLibrary._ensure_finalized, CPUCodeLibrary._optimize_functions

    def lazy_optimize(self: Any, module: Any) -> None:
        if is_helper_now():  # the kernel optimises all of it, once
            module.data_layout = self._codegen._data_layout
        else:
            optimize(self, module)

    def lazy_ensure(self: Any) -> None:
        if not getattr(self, "_chasles_deferred", False):
            ensure(self)

    def lazy_finalize(self: Any) -> None:
        if is_helper_now():
            self._chasles_deferred = True
            return
        if any(getattr(other, "_chasles_deferred", False) for other in self._linking_libraries):
            self._linking_libraries = deferred_closure(self)
            self._chasles_once = True
        finalize(self)

    def once_optimize(self: Any) -> None:
        if getattr(self, "_chasles_once", False):
            passes, builder = self._codegen._module_pass_manager()
            passes.run(self._final_module, builder)
        else:
            optimize_final(self)

    def lazy_pointer(self: Any, name: str) -> int:
        if is_helper_now():
            self._chasles_deferred = True
        return 0 if getattr(self, "_chasles_deferred", False) else pointer(self, name)

    def lazy_set_env(self: Any, env_name: str, env: Any) -> None:
        if not is_helper_now():  # the global is not there yet, and helpers never ask for it
            set_env(self, env_name, env)

    CPUCodeLibrary.finalize = lazy_finalize
    CPUCodeLibrary._ensure_finalized = lazy_ensure
    CPUCodeLibrary._optimize_functions = lazy_optimize
    JITCodeLibrary.get_pointer_to_function = lazy_pointer
    JITCPUCodegen.set_env = lazy_set_env
    CPUCodeLibrary._optimize_final_module = once_optimize
    register("numba:compile", _Depth())
    return True


#: Whether helpers are linked once.
LINKS_ONCE = install()


def register_kernel(dispatcher: Any) -> None:
    """Helpers compiled on behalf of this dispatcher are left for it to link."""
    _kernels.add(id(dispatcher))
