"""The words of the report, from words.toml, with measured numbers in their places."""

from collections.abc import Mapping
from string import Formatter
from typing import Any

from chasles.studies.words import tables_of
from chasles.view.theme import scientific


def words() -> dict[str, dict[str, dict[str, Any]]]:
    """Kind -> key -> fields."""
    return tables_of("paper", "words.toml")


class Numbers(Formatter):
    """Formats of numbers beside Python's: m in metres, s as 9.3×10⁻⁷, s0 without decimals."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if format_spec == "m":
            return f"{scientific(value)}\u00a0m"
        if format_spec in ("s", "s0"):
            return scientific(value, 0 if format_spec == "s0" else 1)
        return super().format_field(value, format_spec)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """A text with its numbers.

    >>> filled("at most {gap:m}", {"gap": 2e-16})
    'at most 2.0×10⁻¹⁶\\xa0m'
    """
    return Numbers().vformat(text, (), values)
