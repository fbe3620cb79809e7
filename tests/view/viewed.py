"""Models that several tests look at."""

from math import pi

import chasles as ch


def top_model(gravity=(0, 0, -9.81)) -> ch.Model:
    """The paper's heavy top."""
    top = ch.Body.box(
        "top", size=(0.1, 0.2, 0.4), mass=21.6, position=(0.5, 0, 0),
        angular_velocity=(0, 20 * pi, 10 * pi),
    )  # fmt: skip
    return ch.Model([top], [ch.Spherical("pivot", ch.GROUND, top, at=(0, 0, 0))], gravity=gravity)
