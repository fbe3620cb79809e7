"""A spanning tree of the joint graph: which joint carries each body, which joints close loops."""

from collections import deque
from dataclasses import dataclass

from chasles.model import GROUND, Model


@dataclass(frozen=True)
class Tree:
    """What carries every body: (parent or "ground", joint), or None; and the joints left over."""

    parents: dict[str, tuple[str, str] | None]
    cut: tuple[str, ...]


def spanning_tree(model: Model) -> Tree:
    """Breadth first from the ground, so that loops are cut as far from it as possible.

    A component that is not joined to the ground hangs on its heaviest body.
    """
    neighbours: dict[str, list[tuple[str, str]]] = {name: [] for name in model.body_names}
    neighbours[GROUND.name] = []
    for joint in model.joints:
        neighbours[joint.a].append((joint.b, joint.name))
        neighbours[joint.b].append((joint.a, joint.name))
    parents: dict[str, tuple[str, str] | None] = {}
    used: set[str] = set()
    by_mass = sorted(model.bodies, key=lambda body: -body.mass)
    for root in [GROUND.name, *(body.name for body in by_mass)]:
        if root in parents:
            continue
        if root != GROUND.name:
            parents[root] = None
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for other, joint_name in neighbours[body]:
                if other not in parents and other != GROUND.name:
                    parents[other] = (body, joint_name)
                    used.add(joint_name)
                    queue.append(other)
    cut = tuple(name for name in model.joint_names if name not in used)
    return Tree(parents, cut)
