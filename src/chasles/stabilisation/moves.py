"""Body displacements as increments of the charts."""

from typing import Any

from chasles.compiled import routine
from chasles.core.arrays import (
    ABSOLUTE_WIDTH,
    CHART_WIDTH,
    POSE_R,
    POSITION,
    mat9,
    twist6,
    vec3,
)
from chasles.core.charts import chart_velocity

STILL = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@routine
def chart_move(system: Any, work: Any, stage: Any, body: int, twists: Any) -> Any:
    """What the body twists (6 n) do to the chart of one body at the stage `work` was formed at."""
    group = system.bodies.group[body]
    reference = system.bodies.reference[body]
    point = vec3(system.bodies.frame_point, 3 * body)
    rho = vec3(stage, body * CHART_WIDTH + POSITION)
    if reference < 0:
        relative = mat9(work.absolute, body * ABSOLUTE_WIDTH + POSE_R)
        carried = STILL
    else:
        relative = mat9(work.turn, body * 9)
        carried = twist6(twists, 6 * reference)
    return chart_velocity(group, twist6(twists, 6 * body), relative, rho, point, carried)
