"""A leg of Theo Jansen's Strandbeest: rods turn the circle of a crank into a step.

The lengths are Jansen's "holy numbers" (strandbeest.com, in cm).  The angle of the crank decides
where all joints are: each lies where two circles meet, and so does the foot.
"""

import numpy as np

import chasles as ch

VIEW = (-72, 12)
LENGTHS = dict(zip("abcdefghijklm", (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15)))  # fmt: skip
SPEED, HIP = 3.0, -0.38 - 0.078j  # rad/s; points of the plane are complex numbers, in m


def meet(p, first, q, second):
    """Where circles about p and q meet, on the left of the way from p to q."""
    r, s, span = LENGTHS[first] / 100, LENGTHS[second] / 100, abs(q - p)
    along = (span**2 + r**2 - s**2) / (2 * span)
    return p + (q - p) / span * (along + 1j * np.sqrt(r**2 - along**2))


def corners(angle):
    pin = LENGTHS["m"] / 100 * np.exp(1j * angle)
    upper, lower = meet(HIP, "b", pin, "j"), meet(pin, "k", HIP, "c")
    outer = meet(HIP, "d", upper, "e")
    knee = meet(lower, "g", outer, "f")
    return {"crank": 0j, "hip": HIP, "pin": pin, "upper": upper, "lower": lower, "outer": outer,
            "knee": knee, "foot": meet(lower, "i", knee, "h")}  # fmt: skip


LINKS = {
    "crank": ("crank", "pin"), "j": ("pin", "upper"), "k": ("pin", "lower"), "c": ("hip", "lower"),
    "f": ("outer", "knee"), "shoulder": ("hip", "upper", "outer"), "shin": ("lower", "knee", "foot"),
}  # fmt: skip
PINS = ["crank ground crank", "pin crank j", "pin crank k", "upper j shoulder", "lower k c",
        "hip ground shoulder", "hip ground c", "lower c shin", "outer shoulder f", "knee f shin"]  # fmt: skip


def build():
    at = {name: np.array((p.real, 0, p.imag)) for name, p in corners(0.0).items()}
    bodies = []
    for number, (name, ends) in enumerate(LINKS.items()):
        layer = (0, 0.03 * (number % 3 - 1), 0)
        sides = list(zip(ends, (*ends[1:], ends[0])))[: 3 if len(ends) == 3 else 1]
        rods = [
            ch.Body.rod("rod", mass=0.3, radius=0.01, between=(at[p] + layer, at[q] + layer))
            for p, q in sides
        ]
        bodies.append(ch.Body.composite(name, rods))
    joints = []
    for words in PINS:
        place, one, other = words.split()
        joints.append(
            ch.Revolute(words, one if one != "ground" else ch.GROUND, other, at[place], (0, -1, 0))
        )
    drive = ch.Driver("motor", joints[0], ch.Signal.linear(SPEED))
    bodies[0] = ch.Body.composite("crank", [bodies[0]], angular_velocity=(0, -SPEED, 0))
    return ch.Model(bodies, joints, drivers=[drive])


def check(result):
    start, now = (corners(SPEED * t)["foot"] for t in (0.0, result.t))
    x, _, z = result.point("shin", (start.real, 0, start.imag)).position.T
    return (
        "largest distance of the foot from the circles' meeting, m",
        abs(x + 1j * z - now).max(),
        0.0,
        1e-9,
    )


def main(until=4 * np.pi / SPEED, film="strandbeest_leg.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=2)
    result.animate(film, title="A leg of the Strandbeest", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
