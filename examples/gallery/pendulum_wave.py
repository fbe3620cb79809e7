"""Pendulum wave: of fifteen pendulums each swings once more in 30 s than the next longer one.

A swing of amplitude a takes 4 K(sin^2(a/2)) sqrt(l/g), K the complete elliptic integral (L. D.
Landau, E. M. Lifshitz, Mechanics, section 11).  The lengths follow from it, so that all
pendulums are together again after 30 s, however they were mixed up in between.
"""

import numpy as np
from scipy.special import ellipk

import chasles as ch

VIEW = (-28, 16)
SWINGS, TOGETHER, ANGLE, RADIUS = np.arange(20, 35), 30.0, 0.35, 0.025


def lengths():
    """From pivot to centre: g (T / 4K)^2 = l + 2 r^2 / 5 l for balls of radius r."""
    reduced = 9.81 * (TOGETHER / SWINGS / (4 * ellipk(np.sin(ANGLE / 2) ** 2))) ** 2
    return (reduced + np.sqrt(reduced**2 - 1.6 * RADIUS**2)) / 2


def build():
    bodies, joints = [], []
    hues = ["#c8503c", "#d9822b", "#e0bb3f", "#4f9163", "#2f8f8f", "#3f73b8", "#8a63a8"]
    for k, length in enumerate(lengths()):
        y, turn = 0.06 * k, ("y", -ANGLE)
        place = (length * np.sin(ANGLE), y, -length * np.cos(ANGLE))
        ball = ch.Sphere(RADIUS, colour=hues[k % 7])
        wire = ch.Rod(length, 0.002, axis="z", position=(0, 0, length / 2), colour="black")
        moments = 3 * [0.4 * RADIUS**2]
        bob = ch.Body(f"bob {k}", 1.0, moments, place, turn, shapes=[ball, wire])
        bodies.append(bob)
        joints.append(ch.Revolute(f"pivot {k}", ch.GROUND, bob, at=(0, y, 0), axis="y"))
    return ch.Model(bodies, joints)


def check(result):
    apart = max(abs(result.coordinate(joint)[-1]) for joint in result.model.joint_names)
    return "largest angle from the start after 30 s, rad", apart, 0.0, 1e-6


def main(until=TOGETHER, film="pendulum_wave.html"):
    result = ch.simulate(build(), until, 2.5e-3, save_every=8)
    result.animate(film, title="A pendulum wave", view=VIEW)
    return result


if __name__ == "__main__":
    result = main()
    print("{}: {:.9g}; {:.9g} within {:g}".format(*check(result)))
