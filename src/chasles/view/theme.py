"""Colours and type of figures and pages: one palette, a light and a dark value for each name."""

import re
from math import floor, log10

#: name -> (light, dark).  Light values are unique: `with_variables` finds them in a drawn SVG.
PALETTE = {
    "paper": ("#fffffe", "#15181d"),
    "ink": ("#1d2129", "#e6e8ec"),
    "muted": ("#667080", "#98a2b1"),
    "grid": ("#e3e6eb", "#2b313a"),
    "axis": ("#b6bdc8", "#4b5462"),
    "se3": ("#2f66b3", "#7fb0f5"),
    "product": ("#c4512d", "#f08e6b"),
    "chosen": ("#177a5b", "#4fcda3"),
    "other": ("#8a63a8", "#c19fe0"),
    "x": ("#5b83b8", "#86acdf"),
    "y": ("#b8791f", "#e6b366"),
    "z": ("#588c5e", "#93c998"),
    "face": ("#eef1f5", "#232932"),
    "shade": ("#dde3eb", "#2d3540"),
    "deep": ("#cbd4df", "#38424f"),
}
LIGHT = {name: pair[0] for name, pair in PALETTE.items()}

SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
SERIF = 'Charter, "Bitstream Charter", "Iowan Old Style", "Source Serif 4", Georgia, serif'

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """10⁻⁷, in characters that every font has."""
    return "10" + str(exponent).translate(SUPERSCRIPTS)


def scientific(value: float, digits: int = 1) -> str:
    """9.3×10⁻⁷; plain digits between 0.01 and 9999."""
    if value == 0 or not abs(value) < float("inf"):
        return f"{value:g}"
    if 0.01 <= abs(value) < 1e4:
        decimals = max(0, digits - floor(log10(abs(value))))
        return f"{value:.{decimals}f}".replace("-", "−")
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    power = power_of_ten(int(exponent))
    return power if mantissa == "1" else f"{mantissa}×{power}".replace("-", "−")


def style_variables() -> str:
    """The palette as CSS: light by default, dark where the reader prefers it."""
    light = "".join(f"--{name}:{pair[0]};" for name, pair in PALETTE.items())
    dark = "".join(f"--{name}:{pair[1]};" for name, pair in PALETTE.items())
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    )


HEX_TO_VARIABLE = {pair[0]: f"var(--{name})" for name, pair in PALETTE.items()}
ANY_COLOUR = re.compile("|".join(HEX_TO_VARIABLE))


def with_variables(svg: str) -> str:
    """A drawn SVG whose colours follow the reader's scheme."""
    return ANY_COLOUR.sub(lambda match: HEX_TO_VARIABLE[match[0]], svg)
