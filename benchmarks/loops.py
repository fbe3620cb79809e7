"""Nets and towers: many closed loops of ball joints."""

import numpy as np

import chasles as ch


def net(size: int) -> ch.Model:
    """A square net of links on balls: a body at every node, a ball about halfway along every edge.

    Balls at halves would make a parallelogram of every mesh: a singular pose.
    """
    bodies: dict[tuple[int, int], ch.Body] = {}
    joints = []
    for x in range(size):
        for y in range(size):
            at = (0.2 * x, 0.2 * y, 0.02 * ((7 * x + 3 * y) % 5))
            body = ch.Body.box(f"{x} {y}", size=(0.2, 0.2, 0.05), mass=1.0, position=at)
            bodies[x, y] = body
            for before in filter(None, (bodies.get((x - 1, y)), bodies.get((x, y - 1)))):
                middle = (np.array(before.position) + at) / 2
                lifted = middle + (0, 0, 0.01 * (len(joints) % 7))
                name = f"{before.name} to {body.name}"
                joints.append(ch.Spherical(name, before, body, at=lifted))
    joints.append(ch.Spherical("hook", ch.GROUND, bodies[0, 0], at=(0, 0, 0.1)))
    return ch.Model(bodies.values(), joints)


def tower(loops: int) -> ch.Model:
    """Storeys of two spherical legs and a platform, each on the one below."""
    bodies, joints = [], []
    below: ch.Body | ch.Ground = ch.GROUND
    for k in range(loops):
        z = 0.5 * k
        platform = ch.Body.box(
            f"deck {k}", size=(0.6, 0.4, 0.05), mass=1.0, position=(0, 0, z + 0.5)
        )
        for side, x in (("left", -0.25), ("right", 0.25)):
            leg = ch.Body.box(
                f"{side} {k}", size=(0.05, 0.05, 0.5), mass=0.3, position=(x, 0, z + 0.25)
            )
            joints.append(ch.Spherical(f"{side} foot {k}", below, leg, at=(x, 0, z)))
            joints.append(ch.Spherical(f"{side} head {k}", leg, platform, at=(x, 0, z + 0.5)))
            bodies.append(leg)
        bodies.append(platform)
        below = platform
    return ch.Model(bodies, joints)
