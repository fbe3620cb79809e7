"""Furuta's pendulum: a rod hangs on an arm that turns freely about the vertical.

Nothing outside has a torque about the vertical, so that the angular momentum about it stays what it
was, whatever wild exchange goes on between the two (K. Furuta et al., 1992; Noether's theorem).
"""

import chasles as ch

VIEW = (-50, 22)


def build():
    arm = ch.Body.solid(
        "arm",
        [
            ch.Cylinder(0.014, 0.3, axis="x", position=(0.15, 0, 0), colour="blue"),
            ch.Cylinder(0.03, 0.06, colour="black"),
        ],
        density=2700,
    )
    rod = ch.Cylinder(0.008, 0.4, position=(0.32, 0, 0.18), colour="red")
    bob = ch.Sphere(0.025, position=(0.32, 0, 0.38), colour="brass")
    pendulum = ch.Body.solid("pendulum", [rod, bob], density=7850, angular_velocity=(0.2, 0, 1.0))
    joints = [
        ch.Revolute("shaft", ch.GROUND, arm, at=(0, 0, -0.03), axis="z"),
        ch.Revolute("hinge", arm, pendulum, at=(0.3, 0, 0), axis="x"),
    ]
    return ch.Model([arm, pendulum], joints)


def check(result):
    spin = result.angular_momentum()[:, 2]
    return "angular momentum about the vertical, N m s", spin[-1], spin[0], 1e-7 * abs(spin[0])


def main(until=10.0, film="furuta_pendulum.html"):
    result = ch.simulate(build(), until, 5e-4, save_every=10)
    result.animate(film, title="Furuta's pendulum", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
