"""Values of functions of time with their first two derivatives: plain formulas, nothing imported.

They are written once: the model runs them on arrays of times, the kernels on one time.
"""

from typing import Any


def polynomial(s: Any, degree: int, coefficients: Any, first: int) -> Any:
    """Value, rate and second derivative at s of the sum of coefficients[first + k] s^k (Horner)."""
    value, rate, half_second = coefficients[first + degree], 0.0, 0.0
    for k in range(degree - 1, -1, -1):
        half_second = half_second * s + rate
        rate = rate * s + value
        value = value * s + coefficients[first + k]
    return value, rate, 2.0 * half_second


def sinusoid(sine: Any, cosine: Any, amplitude: Any, pulse: Any, offset: Any) -> Any:
    """offset + amplitude sin(pulse t + phase) and derivatives, from sine, cosine of the angle."""
    swing = amplitude * sine
    return offset + swing, amplitude * pulse * cosine, -pulse * pulse * swing
