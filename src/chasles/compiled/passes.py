"""The compiler's passes that formulas, routines and kernels need.

Numba runs 27 passes over every function, among them those that inline closures, lift `with` blocks,
unroll loops over tuples of different types or fuse array expressions.  Helpers have none of these,
and passes that find nothing take a seventh of the time.
"""

from typing import Any

from numba.core import typed_passes, untyped_passes
from numba.core.compiler import Compiler, CompilerBase
from numba.core.compiler_machinery import PassManager

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


class FewPasses(CompilerBase):
    """Numba's compiler without the passes that would find nothing."""

    def define_pipelines(self) -> Any:
        passes = PassManager("chasles")
        for module, name in NEEDED:
            passes.add_pass(getattr(module, name), name)
        passes.finalize()
        return [passes]


COMPILER = FewPasses if all(hasattr(module, name) for module, name in NEEDED) else Compiler
