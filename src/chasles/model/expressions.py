"""Functions of time by an expression: numbers, t, + - * / ^, parentheses and a few functions.

The text is data: it is read by the grammar below, and nothing of it is ever run as code.

    sum      = product (("+" | "-") product)*
    product  = sign (("*" | "/") sign)*
    sign     = ("+" | "-") sign | power
    power    = atom ("^" sign)?                      2^3^2 is 2^(3^2), and -t^2 is -(t^2)
    atom     = number | "t" | "pi" | name "(" sum ")" | "(" sum ")"

It is kept in postfix order and evaluated on (f, f', f'') together, so that both derivatives are
those of the expression, to rounding.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from chasles.model.derivatives import Floats
from chasles.model.errors import InvalidSignal, short_repr

LONGEST = 2000  # characters of an expression: pages of it are a table in disguise
DEEPEST = 50  # parentheses, signs and powers within each other; the parser recurses
TOKEN = re.compile(r"[ \t]*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)"
                   r"|(\*\*|[-+*/^()]))", re.ASCII)  # fmt: skip

#: value and its first two derivatives by t; a constant has the float 0 for both
Jet = tuple[Any, Any, Any]
Law = Callable[[Any], tuple[Any, Any, Any]]


def law(f: Any, first: Callable[[Any, Any], Any], second: Callable[[Any, Any], Any]) -> Law:
    """A function y of x, and its derivatives as functions of x and y."""

    def jet(x: Any) -> tuple[Any, Any, Any]:
        y = f(x)
        return y, first(x, y), second(x, y)

    return jet


def beside(x: Any) -> Any:
    """Of a sine the cosine, and of a cosine the sine: the root of 1 - x^2."""
    return np.sqrt(1.0 - x * x)


#: value, first and second derivative of each function
LAWS: dict[str, Law] = {
    "sin": law(np.sin, lambda x, y: np.cos(x), lambda x, y: -y),
    "cos": law(np.cos, lambda x, y: -np.sin(x), lambda x, y: -y),
    "tan": law(np.tan, lambda x, y: 1.0 + y * y, lambda x, y: 2.0 * y * (1.0 + y * y)),
    "asin": law(np.arcsin, lambda x, y: 1.0 / beside(x), lambda x, y: x / beside(x) ** 3),
    "acos": law(np.arccos, lambda x, y: -1.0 / beside(x), lambda x, y: -x / beside(x) ** 3),
    "atan": law(
        np.arctan, lambda x, y: 1.0 / (1.0 + x * x), lambda x, y: -2.0 * x / (1.0 + x * x) ** 2
    ),
    "sinh": law(np.sinh, lambda x, y: np.cosh(x), lambda x, y: y),
    "cosh": law(np.cosh, lambda x, y: np.sinh(x), lambda x, y: y),
    "tanh": law(np.tanh, lambda x, y: 1.0 - y * y, lambda x, y: -2.0 * y * (1.0 - y * y)),
    "exp": law(np.exp, lambda x, y: y, lambda x, y: y),
    "log": law(np.log, lambda x, y: 1.0 / x, lambda x, y: -1.0 / (x * x)),
    "sqrt": law(np.sqrt, lambda x, y: 0.5 / y, lambda x, y: -0.25 / (x * y)),
    "abs": law(np.abs, lambda x, y: np.sign(x), lambda x, y: 0.0 * x),
}


@dataclass(frozen=True)
class Expression:
    """A function of time by its text; `order` is how often it has been differentiated.

    >>> Expression("2 * sin(pi * t / 2)^2")(np.array([0.0, 0.5, 1.0])).round(12).tolist()
    [0.0, 1.0, 2.0]
    """

    text: str
    order: int = 0

    def __call__(self, t: Any) -> Floats:
        times = np.asarray(t, np.float64)
        with np.errstate(all="ignore"):  # who asks looks for what is not finite
            value = jet_of(self.postfix, times.reshape(-1))[self.order]
        return np.array(np.broadcast_to(value, times.size), np.float64).reshape(times.shape)

    @cached_property
    def postfix(self) -> tuple[Any, ...]:
        return Parser(self.text).postfix()


def checked_expression(text: Any) -> Expression:
    if not isinstance(text, str):
        raise InvalidSignal(
            f"expression must be a text, got {short_repr(text)}.",
            "Give a text: '0.1 * sin(3 * t)'.",
        )
    expression = Expression(text)
    _ = expression.postfix  # read once, here
    return expression


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
        self.sum()
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
            found.append((token[0].strip(" \t"), token.end() - len(token[0].lstrip(" \t")) + 1))
            place = token.end()
        return found

    def peek(self) -> str:
        return self.tokens[self.index][0] if self.index < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.index += 1
        return token

    def sum(self) -> None:
        self.row(("+", "-"), self.product)

    def product(self) -> None:
        self.row(("*", "/"), self.sign)

    def row(self, operators: tuple[str, str], operand: Callable[[], None]) -> None:
        operand()
        while self.peek() in operators:
            operator = self.take()
            operand()
            self.output.append(operator)

    def sign(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InvalidSignal(
                f"expression {short_repr(self.text)} is nested more than {DEEPEST} deep.",
                "Multiply it out, or give a table of times and values.",
            )
        if self.peek() in ("+", "-"):
            negative = self.take() == "-"
            self.sign()
            self.output += ["negative"] if negative else []
        else:
            self.power()
        self.depth -= 1

    def power(self) -> None:
        self.atom()
        if self.peek() in ("^", "**"):
            self.take()
            self.sign()
            self.output.append("^")

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
        elif token in LAWS:
            self.take()
            if self.peek() != "(":
                raise self.wrong(f"a parenthesis after {token}")
            self.in_parentheses()
            self.output.append(token)
        else:
            raise self.wrong("a number, t, pi, a function or a parenthesis")

    def in_parentheses(self) -> None:
        self.take()
        self.sum()
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


KNOWN = f"Use numbers, t (s), pi, + - * / ^, parentheses, and {' '.join(LAWS)} of (...)."


def jet_of(postfix: tuple[Any, ...], t: Floats) -> Jet:
    """f, f' and f'' at all times."""
    stack: list[Jet] = []
    for token in postfix:
        if isinstance(token, float):
            stack.append((token, 0.0, 0.0))
        elif token == "t":
            stack.append((t, np.ones_like(t), np.zeros_like(t)))
        elif token == "negative":
            value, rate, second = stack.pop()
            stack.append((-value, -rate, -second))
        elif token in LAWS:
            stack.append(chained(LAWS[token], stack.pop()))
        else:
            right = stack.pop()
            stack.append(OPERATORS[token](stack.pop(), right))
    (jet,) = stack
    return jet


def is_constant(jet: Jet) -> bool:
    return isinstance(jet[1], float)


def chained(law: Law, jet: Jet) -> Jet:
    """f(u): f'(u) u' and f''(u) u'^2 + f'(u) u''."""
    inner, rate, second = jet
    value, first, curvature = law(np.float64(inner) if is_constant(jet) else inner)
    if is_constant(jet):
        return value, 0.0, 0.0
    return value, first * rate, curvature * rate * rate + first * second


def multiplied(u: Jet, v: Jet) -> Jet:
    if is_constant(u) and is_constant(v):
        return u[0] * v[0], 0.0, 0.0
    return u[0] * v[0], u[1] * v[0] + u[0] * v[1], u[2] * v[0] + 2.0 * u[1] * v[1] + u[0] * v[2]


def divided(u: Jet, v: Jet) -> Jet:
    """q = u / v from q v = u: q' v = u' - q v', q'' v = u'' - 2 q' v' - q v''."""
    below = np.float64(v[0]) if is_constant(v) else v[0]  # so that 1 / 0 is inf, and is reported
    value = u[0] / below
    if is_constant(u) and is_constant(v):
        return value, 0.0, 0.0
    rate = (u[1] - value * v[1]) / below
    return value, rate, (u[2] - 2.0 * rate * v[1] - value * v[2]) / below


def raised(u: Jet, v: Jet) -> Jet:
    """u^v: by the power rule where v is a constant, else exp(v log u)."""
    if not is_constant(v):
        return chained(LAWS["exp"], multiplied(v, chained(LAWS["log"], u)))
    n = np.float64(v[0])
    if n == 0.0 or n == 1.0:  # whose derivatives would be 0 times infinity at u = 0
        return u if n == 1.0 else (1.0 if is_constant(u) else np.ones_like(u[0]), 0.0, 0.0)

    def law(x: Any) -> tuple[Any, Any, Any]:
        curvature = n * (n - 1.0) * (x ** (n - 2.0) if n != 2.0 else np.ones_like(x))
        return x**n, n * x ** (n - 1.0), curvature

    return chained(law, u)


OPERATORS: dict[str, Callable[[Jet, Jet], Jet]] = {
    "+": lambda u, v: (u[0] + v[0], u[1] + v[1], u[2] + v[2]),
    "-": lambda u, v: (u[0] - v[0], u[1] - v[1], u[2] - v[2]),
    "*": multiplied,
    "/": divided,
    "^": raised,
}
