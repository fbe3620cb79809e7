"""What a user gave as a number, a Signal or a function of time, at one time."""

from math import cos, pi, sin
from typing import Any

import numpy as np
from oracle.jets import Floats

import chasles as ch

Motion = tuple[float, float, float]  # value, rate, second derivative


def linear(wave: Any, t: float) -> Motion:
    return wave.offset + wave.slope * t, wave.slope, 0.0


def sine(wave: Any, t: float) -> Motion:
    pulse = 2.0 * pi * wave.frequency
    angle = pulse * t + wave.phase
    swing = wave.amplitude * sin(angle)
    return wave.offset + swing, wave.amplitude * pulse * cos(angle), -(pulse**2) * swing


def ramp(wave: Any, t: float) -> Motion:
    """height (10 s^3 - 15 s^4 + 6 s^5), s from 0 to 1."""
    s, height, per = (t - wave.start) / wave.duration, wave.height, 1.0 / wave.duration
    if not 0.0 < s < 1.0:
        return (height if s >= 1.0 else 0.0), 0.0, 0.0
    return (
        height * s**3 * (10.0 - 15.0 * s + 6.0 * s * s),
        height * per * 30.0 * (s * (1.0 - s)) ** 2,
        height * per**2 * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
    )


WAVES = {"Linear": linear, "Sine": sine, "Ramp": ramp}


def motion_at(signal: ch.Signal, t: float) -> Motion:
    """Value, rate and second derivative; where none is given, by Signal's own differences."""
    wave = WAVES.get(type(signal.function).__name__)
    if wave is not None:
        return wave(signal.function, t)
    if signal.rate is not None and signal.second is not None:
        return tuple(float(f(t)) for f in (signal.function, signal.rate, signal.second))
    return tuple(signal.sample([t])[0].tolist())


def value_at(signal: ch.Signal, t: float) -> float:
    wave = WAVES.get(type(signal.function).__name__)
    return wave(signal.function, t)[0] if wave is not None else float(signal.values([t])[0])


def vector_at(given: Any, t: float) -> Floats:
    """Three numbers, from three, from signals or from a function of time."""
    if hasattr(given, "signals"):
        return np.array([value_at(signal, t) for signal in given.signals])
    return np.array(given(t) if callable(given) else given, float).reshape(3)
