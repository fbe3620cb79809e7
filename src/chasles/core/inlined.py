"""What explicit steps consist of, inlined: calls would cost a small model a third.

A stage of a tree has no rows, and one with rows has other solvers: each is inlined where it is the
usual one, and called by the others.  Methods that iterate call all of it.
"""

from chasles.compiled import inlined
from chasles.core import retraction
from chasles.core import stage as stages
from chasles.core.recursion.accelerate import accelerations

retract = inlined(retraction.retract)
pull_back = inlined(retraction.pull_back)
finish = inlined(retraction.finish)
stage = inlined(stages.stage, accelerations=inlined(accelerations))
stage_with_rows = inlined(stages.stage, accelerate_with_rows=inlined(stages.accelerate_with_rows))
