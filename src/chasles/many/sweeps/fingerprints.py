"""What a measure does, in a few digits: so that runs are not taken for those of another one."""

from contextlib import suppress
from typing import Any

from chasles.build.fingerprints import Reached, Unknown
from chasles.model import InvalidOption


def measure_fingerprint(measure: Any, needed: bool = False) -> str:
    """The same for the same measure: its name, and a digest of all that it reaches.

    Where runs are kept, it is `needed`, and a measure whose values cannot be told is refused.
    """
    if measure is None:
        return ""
    name = full_name(measure)
    try:
        return f"{name}-{Reached().digest(measure)}"
    except Unknown as unknown:
        if needed:
            raise InvalidOption(
                f"sweep: the measure {name} uses {unknown}, whose value cannot be written down:"
                " runs that are kept could be those of another one.",
                "Give the measure what it needs as numbers or text, or leave into out.",
            ) from None
        return name


def reached_by(measure: Any) -> tuple[str, ...]:
    """Names of the user's own functions, classes and values that a measure uses, and of itself."""
    reached = Reached()
    with suppress(Unknown):
        reached.digest(measure)
    return tuple(reached.names)


def full_name(measure: Any) -> str:
    kind = measure if hasattr(measure, "__qualname__") else type(measure)
    return f"{kind.__module__}.{kind.__qualname__}"
