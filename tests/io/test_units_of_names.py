"""Every unit that a name may end with, against what its symbol says with the SI's prefixes."""

import re
from math import pi

import pytest
from scipy import constants as si

from chasles.io.units import UNITS, scaled

#: What the words of a name stand for; units that are written together are a product.
WORDS = {
    "m": 1.0, "mm": si.milli, "cm": si.centi, "um": si.micro, "km": si.kilo,
    "rad": 1.0, "deg": si.degree, "turn": 2 * pi, "rpm": 2 * pi / si.minute,
    "s": 1.0, "ms": si.milli, "us": si.micro, "min": si.minute, "h": si.hour,
    "kg": 1.0, "g": si.gram, "t": si.metric_ton, "Hz": 1.0, "kHz": si.kilo,
    "N": 1.0, "kN": si.kilo, "Nm": 1.0, "kNm": si.kilo, "Nmm": si.milli, "Ns": 1.0, "Nms": 1.0,
}  # fmt: skip


def in_si(name):
    """km_per_h: 1000 m over 3600 s; g_cm2: a gram and a hundredth of a metre squared."""
    above, _, below = name.partition("_per_")
    value = 1.0
    for words, sign in ((above, 1), (below, -1)):
        for word, power in re.findall(r"([A-Za-z]+)(\d?)", words):
            value *= WORDS[word] ** (sign * int(power or 1))
    return value


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_what_its_name_says(name):
    assert scaled(1.0, name, "") == pytest.approx(in_si(name), rel=1e-14)
    assert scaled([[3, -0.5]], name, "")[0] == pytest.approx([3 * in_si(name), -0.5 * in_si(name)])
