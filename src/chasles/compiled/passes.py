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
from numba.core.ir_utils import build_definitions
from numba.core.ssa import reconstruct_ssa
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
KNOWN = all(hasattr(module, name) for module, name in NEEDED)


def tidy(function: Any) -> None:
    """What is left of Numba's post-processing without lifetimes and generators."""
    function.blocks = canonicalize_cfg(function.blocks)
    function.generator_info = None


def counts_references(state: Any) -> bool:
    """Whether a variable of a function holds memory that is counted."""
    models = state.targetctx.data_model_manager
    return any(models[kind].contains_nrt_meminfo() for kind in set(state.typemap.values()))


if KNOWN:

    @register_pass(mutates_CFG=False, analysis_only=False)
    class Process(untyped_passes.IRProcessing):
        """IRProcessing without lifetimes."""

        def run_pass(self, state: Any) -> bool:
            tidy(state.func_ir)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class AssignOnce(untyped_passes.ReconstructSSA):
        """ReconstructSSA without lifetimes."""

        def run_pass(self, state: Any) -> bool:
            state.func_ir = reconstruct_ssa(state.func_ir)
            self._patch_locals(state)
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
            tidy(state.func_ir)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class StripPhis(typed_passes.PreLowerStripPhis):
        """PreLowerStripPhis without lifetimes."""

        def run_pass(self, state: Any) -> bool:
            state.func_ir = self._strip_phi_nodes(state.func_ir)
            state.func_ir._definitions = build_definitions(state.func_ir.blocks)
            tidy(state.func_ir)
            return True

    @register_pass(mutates_CFG=False, analysis_only=True)
    class Legalize(typed_passes.IRLegalization):
        """IRLegalization where references are counted: it says where each is used last."""

        def run_pass(self, state: Any) -> bool:
            return super().run_pass(state) if counts_references(state) else True

    OURS = {
        "IRProcessing": Process,
        "ReconstructSSA": AssignOnce,
        "PreLowerStripPhis": StripPhis,
        "IRLegalization": Legalize,
    }


class FewPasses(CompilerBase):
    """Numba's compiler without the passes that would find nothing."""

    def define_pipelines(self) -> Any:
        passes = PassManager("chasles")
        for module, name in NEEDED:
            passes.add_pass(OURS.get(name, getattr(module, name)), name)
        passes.finalize()
        return [passes]


COMPILER = FewPasses if KNOWN else Compiler
