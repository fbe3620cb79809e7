"""Functions of time by an expression: numbers, t, + - * / ^, parentheses and a few functions.

The text is data: it is read by the grammar below, and nothing of it is ever run as code.

    sum      = product (("+" | "-") product)*
    product  = sign (("*" | "/") sign)*
    sign     = ("+" | "-") sign | power
    power    = atom ("^" sign)?                      2^3^2 is 2^(3^2), and -t^2 is -(t^2)
    atom     = number | "t" | "pi" | name "(" sum ")" | "(" sum ")"

It is kept in postfix order and evaluated on numbers with their derivatives (`scalars.jet`), so that
f' and f'' are those of the expression, to rounding.
"""

import operator
import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from chasles.model.errors import InvalidSignal, short_repr
from chasles.model.waves import Wave
from chasles.model.words import Floats
from chasles.scalars.jet import ArrayJet, Jet

LONGEST = 2000  # characters of an expression: pages of it are a table in disguise
DEEPEST = 50  # parentheses, signs and powers within each other; the parser recurses
TOKEN = re.compile(r"[ \t]*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)"
                   r"|(\*\*|[-+*/^()]))", re.ASCII)  # fmt: skip

#: What an expression may call; on numbers with their derivatives NumPy calls the method.
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp,
    "log": np.log, "sqrt": np.sqrt, "abs": np.abs,
}  # fmt: skip
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "^": operator.pow,
}  # fmt: skip
#: How tightly operators bind; a sign binds between * and ^.
BINDING = {"+": 0, "-": 0, "*": 1, "/": 1, "^": 3}


class Expression(Wave):
    """A function of time by its text.

    >>> Expression("2 * sin(pi * t / 2)^2")(np.array([0.0, 0.5, 1.0])).round(12).tolist()
    [0.0, 1.0, 2.0]
    """

    text: str

    def _check(self) -> None:
        if not isinstance(self.text, str):
            raise InvalidSignal(
                f"expression must be a text, got {short_repr(self.text)}.",
                "Give a text: '0.1 * sin(3 * t)'.",
            )
        _ = self.postfix  # read once, here

    def derivative(self, t: Any, order: int) -> Floats:
        times = np.asarray(t, np.float64)
        with np.errstate(all="ignore"):  # who asks looks for what is not finite
            value = with_derivatives(self.postfix, times.reshape(-1))[order]
        return np.array(np.broadcast_to(value, times.size), np.float64).reshape(times.shape)

    @cached_property
    def postfix(self) -> tuple[Any, ...]:
        return Parser(self.text).postfix()


class Parser:
    """Reads a text into postfix order: numbers, "t", operators, names of functions."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise InvalidSignal(
                f"an expression of {len(text)} characters; the longest has {LONGEST}.",
                "Give a table of times and values instead.",
            )
        self.text, self.output, self.depth = text, list[Any](), 0
        self.tokens = self.split()
        self.index = 0

    def postfix(self) -> tuple[Any, ...]:
        self.operands()
        if self.index < len(self.tokens):
            raise self.wrong("an operator or the end")
        return tuple(self.output)

    def split(self) -> list[tuple[str, int]]:
        """Tokens with the place where each begins, counted from 1."""
        found, place, end = [], 0, len(self.text.rstrip(" \t"))
        while place < end:
            token = TOKEN.match(self.text, place)
            if token is None:
                raise InvalidSignal(
                    f"expression {short_repr(self.text)}: character {place + 1} is"
                    f" {short_repr(self.text[place])}, which has no meaning here.",
                    KNOWN,
                )
            word = token[0].strip(" \t")
            found.append((word, token.end() - len(word) + 1))
            place = token.end()
        return found

    def peek(self) -> str:
        token = self.tokens[self.index][0] if self.index < len(self.tokens) else ""
        return token.replace("**", "^")

    def take(self) -> str:
        token = self.peek()
        self.index += 1
        return token

    def operands(self, least: int = 0) -> None:
        """What stands between operators that bind less than that, and those that bind so much."""
        if self.peek() in ("+", "-"):
            negative = self.take() == "-"
            self.nested(BINDING["*"] + 1)
            self.output += ["negative"] if negative else []
        else:
            self.atom()
        while BINDING.get(self.peek(), -1) >= least:
            operator = self.take()
            if operator == "^":
                self.nested(BINDING["^"])
            else:
                self.operands(BINDING[operator] + 1)
            self.output.append(operator)

    def nested(self, least: int) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InvalidSignal(
                f"expression {short_repr(self.text)} is nested more than {DEEPEST} deep.",
                "Multiply it out, or give a table of times and values.",
            )
        self.operands(least)
        self.depth -= 1

    def atom(self) -> None:
        token = self.peek()
        if token and (token[0].isdigit() or token[0] == "."):
            if not np.isfinite(float(token)):
                raise self.wrong("a number that is finite")
            self.output.append(float(self.take()))
        elif token in ("t", "pi"):
            self.output.append("t" if self.take() == "t" else float(np.pi))
        elif token == "(":
            self.in_parentheses()
        elif token in FUNCTIONS:
            self.take()
            if self.peek() != "(":
                raise self.wrong(f"a parenthesis after {token}")
            self.in_parentheses()
            self.output.append(token)
        else:
            raise self.wrong("a number, t, pi, a function or a parenthesis")

    def in_parentheses(self) -> None:
        self.take()
        self.nested(0)
        if self.peek() != ")":
            raise self.wrong("a closing parenthesis")
        self.take()

    def wrong(self, expected: str) -> InvalidSignal:
        if self.index < len(self.tokens):
            token, place = self.tokens[self.index]
            found = f"there is {short_repr(token)} at character {place}"
        else:
            found = "it ends"
        return InvalidSignal(
            f"expression {short_repr(self.text)}: {found} instead of {expected}.", KNOWN
        )


KNOWN = f"Use numbers, t (s), pi, + - * / ^, parentheses, and {' '.join(FUNCTIONS)} of (...)."


def with_derivatives(postfix: tuple[Any, ...], t: Floats) -> tuple[Any, Any, Any]:
    """f, f' and f'' at all times."""
    stack: list[Any] = []
    for token in postfix:
        if isinstance(token, float):
            stack.append(np.float64(token))  # so that 1 / 0 is inf, and is reported
        elif token == "t":
            stack.append(ArrayJet(t, np.ones_like(t), np.zeros_like(t)))
        elif token == "negative":
            stack.append(-stack.pop())
        elif token in FUNCTIONS:
            stack.append(FUNCTIONS[token](stack.pop()))
        else:
            right = stack.pop()
            stack.append(OPERATORS[token](stack.pop(), right))
    (found,) = stack
    return (found.value, found.first, found.second) if isinstance(found, Jet) else (found, 0.0, 0.0)
