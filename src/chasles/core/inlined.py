"""What explicit steps consist of, inlined: calls would cost a small model a third.

A stage of a small tree takes less than a tenth of a microsecond, so there are no calls in the
middle of it.  A stage of a tree has no rows, and one with rows has other solvers: each is inlined
where it is the usual one, and called by the others.  Methods that iterate, or choose their steps,
call all of it.
"""

from chasles.compiled import inlined
from chasles.core import stage as stages
from chasles.core import state_block
from chasles.core.recursion import refine, solving
from chasles.core.recursion import stage as of_rows
from chasles.core.recursion.accelerate import accelerations
from chasles.core.recursion.eliminate import eliminate_group
from chasles.core.recursion.kinematics import kinematics
from chasles.core.recursion.propagation import propagate_body

retract = inlined(state_block.retract)
pull_back = inlined(state_block.pull_back)
finish = inlined(state_block.finish)
begin_stage = inlined(stages.begin_stage, kinematics=inlined(kinematics))
stage = inlined(stages.stage, begin_stage=begin_stage, accelerations=inlined(accelerations))
eliminate_body = inlined(solving.eliminate_body, propagate_body=inlined(propagate_body))
loop_inward = inlined(
    solving.loop_inward, eliminate_body=eliminate_body, eliminate_group=inlined(eliminate_group)
)
loop_accelerations = inlined(refine.loop_accelerations, loop_inward=loop_inward)
accelerate_with_rows = inlined(
    stages.accelerate_with_rows,
    put_cut_rows=inlined(of_rows.put_cut_rows),
    accelerate_loops=inlined(of_rows.accelerate_loops, loop_accelerations=loop_accelerations),
)
stage_with_rows = inlined(
    stages.stage, begin_stage=begin_stage, accelerate_with_rows=accelerate_with_rows
)
