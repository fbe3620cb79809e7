"""Windscreen wiper: a crank that turns round and round moves a blade to and fro.

The angles of crank and rocker obey k1 cos b - k2 cos a + k3 = cos(a - b), with k1 = d / crank,
k2 = d / rocker and k3 from all four lengths (F. Freudenstein, Trans. ASME 76, 1954).
"""

import numpy as np

import chasles as ch

VIEW = (-76, 14)
CRANK, COUPLER, ROCKER, BASE, SPEED = 0.08, 0.36, 0.14, 0.36, 5.0


def corner(angle):
    """Crank pin and rocker pin, as complex numbers: circles about both meet."""
    pin = CRANK * np.exp(1j * angle)
    way = BASE - pin
    along = (abs(way) ** 2 + COUPLER**2 - ROCKER**2) / (2 * abs(way))
    return pin, pin + way / abs(way) * (along + 1j * np.sqrt(COUPLER**2 - along**2))


def build():
    b, c = (np.array((p.real, 0, p.imag)) for p in corner(0.0))
    a, d = np.zeros(3), np.array((BASE, 0, 0))
    spin = {"angular_velocity": (0, 0, SPEED)}
    crank = ch.Body.composite(
        "crank",
        [ch.Body.rod("bar", mass=0.2, radius=0.012, between=(a, b))],
        angular_velocity=(0, -SPEED, 0),
    )
    coupler = ch.Body.rod("coupler", mass=0.5, radius=0.008, between=(b, c))
    tip = d + 5 * (c - d)
    blade_way = np.array((0, 0, 1))
    stem = ch.Body.rod("bar", mass=0.3, radius=0.01, between=(d, tip))
    rubber = ch.Body.box(
        "rubber",
        (0.5, 0.02, 0.03),
        mass=0.2,
        position=d + 4 * (c - d) - (0, 0.02, 0),
        rotation=stem.rotation,
    )
    wiper = ch.Body.composite("wiper", [stem, rubber])
    joints = [
        ch.Revolute("motor", ch.GROUND, crank, at=a, axis=(0, -1, 0)),
        ch.Revolute("crank pin", crank, coupler, at=b, axis="y"),
        ch.Revolute("rocker pin", coupler, wiper, at=c, axis="y"),
        ch.Revolute("spindle", ch.GROUND, wiper, at=d, axis=(0, -1, 0)),
    ]
    drive = ch.Driver("battery", "motor", ch.Signal.linear(SPEED))
    return ch.Model([crank, coupler, wiper], joints, drivers=[drive])


def check(result):
    a = result.coordinate("motor")
    b = np.angle(corner(0.0)[1] - BASE) + result.coordinate("spindle")
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + BASE**2) / (2 * CRANK * ROCKER)
    left = BASE / CRANK * np.cos(b) - BASE / ROCKER * np.cos(a) + k3 - np.cos(a - b)
    return "what is left of Freudenstein's equation", np.abs(left).max(), 0.0, 1e-9


def main(until=8.0, film="windscreen_wiper.html"):
    result = ch.simulate(build(), until, 2e-3, stabilise="projection", save_every=4)
    result.animate(film, title="Windscreen wiper", view=VIEW)
    return result


if __name__ == "__main__":
    print(check(main()))
