"""Body displacements as increments of the charts."""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    BODY_WIDTH,
    CHART_WIDTH,
    FRAME_POINT,
    GROUP,
    POSE_R,
    POSITION,
    REFERENCE,
    SPACE_WIDTH,
    mat9,
    twist6,
    vec3,
)
from chasles.core.charts import chart_velocity

STILL = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@routine
def chart_move(system: Any, work: Any, stage: Any, body: int, twists: Any) -> Any:
    """What the body twists (6 n) do to the chart of one body at the stage `work` was formed at."""
    group = system.body_spaces[body * SPACE_WIDTH + GROUP]
    reference = system.body_spaces[body * SPACE_WIDTH + REFERENCE]
    point = vec3(system.bodies, body * BODY_WIDTH + FRAME_POINT)
    rho = vec3(stage, body * CHART_WIDTH + POSITION)
    if reference < 0:
        relative = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        carried = STILL
    else:
        relative = mat9(work.turn, body * 9)
        carried = twist6(twists, 6 * reference)
    return chart_velocity(group, twist6(twists, 6 * body), relative, rho, point, carried)
