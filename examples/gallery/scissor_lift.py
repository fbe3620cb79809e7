"""Scissor lift: three crossed pairs of bars raise a platform; a screw at the bottom pulls them together.

All heights grow with the sine of the bars' angle and the pull acts along its cosine: by virtual
work it must be S cot(angle) / bar, S the sum of all weights times their heights over that sine.
"""

import numpy as np

import chasles as ch

VIEW = (-70, 10)
BAR, STAGES, LOW, HIGH = 1.0, 3, np.radians(15), np.radians(50)
LOAD, MASS = 200.0, 5.0  # kg, of the platform and of a bar


def build():
    wide, tall = BAR * np.cos(LOW), BAR * np.sin(LOW)
    bodies, joints = [], []
    for k in range(STAGES):
        ends = {
            "rising": ((0, 0, k * tall), (wide, 0, (k + 1) * tall)),
            "falling": ((0, 0, (k + 1) * tall), (wide, 0, k * tall)),
        }
        for (name, (p, q)), y in zip(ends.items(), (-0.03, 0.03)):
            bodies.append(
                ch.Body.rod(
                    f"{name} {k}",
                    mass=MASS,
                    radius=0.018,
                    between=(np.add(p, (0, y, 0)), np.add(q, (0, y, 0))),
                )
            )
        joints.append(
            ch.Revolute(
                f"cross {k}",
                f"rising {k}",
                f"falling {k}",
                at=(wide / 2, 0, (k + 0.5) * tall),
                axis="y",
            )
        )
        if k:
            joints.append(
                ch.Revolute(
                    f"left {k}", f"falling {k - 1}", f"rising {k}", at=(0, 0, k * tall), axis="y"
                )
            )
            joints.append(
                ch.Revolute(
                    f"right {k}",
                    f"rising {k - 1}",
                    f"falling {k}",
                    at=(wide, 0, k * tall),
                    axis="y",
                )
            )
    top = STAGES * tall
    deck = ch.Body.box("platform", (1.1, 0.4, 0.05), mass=LOAD, position=(wide / 2, 0, top + 0.045))
    nut = ch.Body.box("nut", (0.08, 0.1, 0.06), mass=1.0, position=(wide, 0, 0))
    joints += [
        ch.Revolute("foot", ch.GROUND, "rising 0", at=(0, 0, 0), axis="y"),
        ch.Prismatic("screw", ch.GROUND, nut, axis=(-1, 0, 0)),
        ch.Revolute("nut pin", nut, "falling 0", at=(wide, 0, 0), axis="y"),
        ch.Revolute("deck pin", f"falling {STAGES - 1}", deck, at=(0, 0, top), axis="y"),
        ch.PointOnPlane("roller", deck, f"rising {STAGES - 1}", at=(wide, 0, top), axis="z"),
    ]
    motion = ch.Signal.ramp(BAR * (np.cos(LOW) - np.cos(HIGH)), duration=3.0)
    return ch.Model([*bodies, deck, nut], joints, drivers=[ch.Driver("motor", "screw", motion)])


def check(result):
    weights = LOAD * STAGES + MASS * sum(2 * (k + 0.5) for k in range(STAGES))  # over g BAR sin
    return (
        "pull of the screw at the top, N",
        result.effort("motor")[-1],
        weights * 9.81 / np.tan(HIGH),
        1e-3,
    )


def main(until=4.0, film="scissor_lift.html"):
    result = ch.simulate(build(), until, 1e-3, stabilise="projection of all joints", save_every=5)
    result.animate(film, title="Scissor lift", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
