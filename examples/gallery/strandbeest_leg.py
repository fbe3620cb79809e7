"""Strandbeest leg: Theo Jansen's rods turn the circle of a crank into a step.

The lengths are Jansen's "holy numbers" (T. Jansen, The Great Pretender, 2007; in cm).  The angle of
the crank decides where all joints are: each lies where two circles meet, and so does the foot.
"""

import numpy as np

import chasles as ch

VIEW = (-74, 10)
NUMBERS = (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15)
LENGTHS = dict(zip("abcdefghijklm", np.array(NUMBERS) / 100))
SPEED, HIP = 3.0, -LENGTHS["a"] - 1j * LENGTHS["l"]  # points of the plane are complex numbers
LINKS = {
    "crank": ["axle", "pin"],
    "j": ["pin", "upper"],
    "k": ["pin", "lower"],
    "c": ["hip", "lower"],
    "f": ["outer", "knee"],
    "shoulder": ["hip", "upper", "outer"],
    "shin": ["lower", "knee", "foot"],
}
PINS = [("axle", "crank"), ("pin", "crank", "j"), ("pin", "crank", "k"), ("upper", "j", "shoulder"),
        ("lower", "k", "c"), ("hip", "shoulder"), ("hip", "c"), ("lower", "c", "shin"),
        ("outer", "shoulder", "f"), ("knee", "f", "shin")]  # fmt: skip


def meet(p, first, q, second):
    """Where circles about p and q meet, on the left of the way from p to q."""
    r, s, span = LENGTHS[first], LENGTHS[second], abs(q - p)
    along = (span**2 + r**2 - s**2) / (2 * span)
    return p + (q - p) / span * (along + 1j * np.sqrt(r**2 - along**2))


def corners(angle):
    pin = LENGTHS["m"] * np.exp(1j * angle)
    upper, lower = meet(HIP, "b", pin, "j"), meet(pin, "k", HIP, "c")
    outer = meet(HIP, "d", upper, "e")
    knee = meet(lower, "g", outer, "f")
    foot = meet(lower, "i", knee, "h")
    return {"axle": 0j, "hip": HIP, "pin": pin, "upper": upper, "lower": lower, "outer": outer,
            "knee": knee, "foot": foot}  # fmt: skip


def build():
    at = {name: np.array((p.real, 0, p.imag)) for name, p in corners(0.0).items()}
    bodies = []
    for name, ends in LINKS.items():
        sides = [(p, q) for p, q in zip(ends, ends[1:] + ends[:1])][: 2 * len(ends) - 3]
        rods = [ch.Body.rod("rod", mass=0.3, radius=0.01, between=(at[p], at[q])) for p, q in sides]
        spin = (0, -SPEED, 0) if name == "crank" else None
        bodies.append(ch.Body.composite(name, rods, angular_velocity=spin))
    joints = []
    for place, *pair in PINS:
        a, b = pair if len(pair) == 2 else (ch.GROUND, *pair)
        name = f"{place} of {' and '.join(pair)}"
        joints.append(ch.Revolute(name, a, b, at=at[place], axis=(0, -1, 0)))
    foot = ch.Body.sphere("foot", 0.02, mass=0.1, position=at["foot"])
    joints.append(ch.Fixed("ankle", "shin", foot))
    drive = ch.Driver("motor", joints[0], ch.Signal.linear(SPEED))
    return ch.Model([*bodies, foot], joints, drivers=[drive])


def check(result):
    x, _, z = result.position("foot").T
    missed = np.abs(x + 1j * z - corners(SPEED * result.t)["foot"]).max()
    return "largest distance of the foot from its path, m", missed, 0.0, 1e-9


def main(until=4 * np.pi / SPEED, film="strandbeest_leg.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=4)
    result.animate(film, title="A leg of the Strandbeest", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
