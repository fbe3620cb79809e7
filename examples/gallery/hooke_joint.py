"""Two Hooke joints in a drive shaft: the middle turns unevenly, the far end evenly again.

Through one joint, bent by the angle b, the speed is multiplied by cos b / (1 - sin^2 b sin^2 a), a the
turn of the driving pin from the normal of both shafts (J. J. Uicker et al., Theory of Machines and
Mechanisms, 2017); the second joint, bent back, undoes it.
"""

import numpy as np

import chasles as ch

VIEW = (-70, 30)
BEND, SPEED = np.radians(35), 6.0


def build():
    along, slope = np.array((1.0, 0, 0)), np.array((np.cos(BEND), np.sin(BEND), 0))
    across, up = np.array((-np.sin(BEND), np.cos(BEND), 0)), (0, 0, 1)
    ends = np.cumsum([(0, 0, 0), 0.4 * along, 0.5 * slope, 0.4 * along], axis=0)
    names = ("input", "middle", "output")
    speed = {"input": {"angular_velocity": (SPEED, 0, 0)}}
    shafts = []
    for name, start, end in zip(names, ends, ends[1:]):
        middle, way = (start + end) / 2, end - start
        angle = ("z", np.arctan2(way[1], way[0]))
        bar = ch.Cylinder(0.02, 0.9 * np.linalg.norm(way), axis="x", colour="steel")
        flag = ch.Box((0.06, 0.02, 0.12), colour="red")
        body = ch.Body.solid(
            name, [bar, flag], density=7850, position=middle, rotation=angle, **speed.get(name, {})
        )
        shafts.append(body)
    joints = [
        ch.Revolute("first bearing", ch.GROUND, "input", at=ends[0], axis=along),
        ch.Universal("first joint", "input", "middle", at=ends[1], axis=up, axis_b=across),
        ch.Universal("second joint", "middle", "output", at=ends[2], axis=across, axis_b=up),
        ch.Revolute("last bearing", ch.GROUND, "output", at=ends[3], axis=along),
    ]
    motor = ch.Driver("motor", "first bearing", ch.Signal.linear(SPEED))
    return ch.Model(shafts, joints, drivers=[motor])


def check(result):
    angle = result.coordinate("first bearing")
    ratio = np.cos(BEND) / (1 - np.sin(BEND) ** 2 * np.sin(angle) ** 2)
    missed = np.abs(result.angular_velocity("middle")[:, 0] / SPEED - ratio).max()
    even = np.abs(result.coordinate("last bearing") - angle).max()
    return "speed ratio and far end, largest error", max(missed, even), 0.0, 1e-8


def main(until=4.0, film="hooke_joint.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=4)
    result.animate(film, title="Two Hooke joints", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
