"""The compiler's passes that formulas, routines and kernels need.

Numba runs 27 passes over every function, among them those that inline closures, lift `with` blocks,
unroll loops over tuples of different types or fuse array expressions.  Helpers have none of these,
and passes that find nothing take a seventh of the time.

It computes the lifetimes of all variables four times, of which the last is used, to count
references down; a function without references needs none of them.
"""

from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.transforms import canonicalize_cfg

#: In order; where Numba has no pass of such a name, all of its own are run.
NEEDED = (
    (untyped_passes, "TranslateByteCode"),
    (untyped_passes, "FixupArgs"),
    (untyped_passes, "IRProcessing"),
    (untyped_passes, "RewriteSemanticConstants"),
    (untyped_passes, "DeadBranchPrune"),
    (untyped_passes, "GenericRewrites"),
    (untyped_passes, "ReconstructSSA"),
    (typed_passes, "NopythonTypeInference"),
    (typed_passes, "PreLowerStripPhis"),
    (typed_passes, "InlineOverloads"),
    (typed_passes, "IRLegalization"),
    (typed_passes, "AnnotateTypes"),
    (typed_passes, "NativeLowering"),
    (typed_passes, "NoPythonBackend"),
)
#: An attribute of functions that are compiled by these passes.
OURS = "is_of_chasles"
KNOWN = all(hasattr(module, name) for module, name in NEEDED)


def without_lifetimes(run: Any) -> Any:
    """Numba's processing after a pass; of our functions without lifetimes, but for the last."""

    def tidied(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if emit_dels or not hasattr(self.func_ir, OURS):
            run(self, emit_dels, extend_lifetimes)
            return
        self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
        self.func_ir.generator_info = None

    return tidied


def counts_references(state: Any) -> bool:
    """Whether a variable of a function holds memory that is counted."""
    models = state.targetctx.data_model_manager
    return any(models[kind].contains_nrt_meminfo() for kind in set(state.typemap.values()))


if KNOWN:

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Translate(untyped_passes.TranslateByteCode):
        """TranslateByteCode, whose result is known as ours."""

        def run_pass(self, state: Any) -> bool:
            done: bool = super().run_pass(state)
            setattr(state.func_ir, OURS, True)
            return done

    @register_pass(mutates_CFG=False, analysis_only=True)
    class Legalize(typed_passes.IRLegalization):
        """IRLegalization where references are counted: it says where each is used last."""

        def run_pass(self, state: Any) -> bool:
            return super().run_pass(state) if counts_references(state) else True

    INSTEAD = {"TranslateByteCode": Translate, "IRLegalization": Legalize}


class FewPasses(CompilerBase):
    """Numba's compiler without the passes that would find nothing."""

    def define_pipelines(self) -> Any:
        passes = PassManager("chasles")
        for module, name in NEEDED:
            passes.add_pass(INSTEAD.get(name, getattr(module, name)), name)
        passes.finalize()
        return [passes]


COMPILER = FewPasses if KNOWN else Compiler
