r"""Functions of time as data of the kernels: `put_signals` evaluates all of them at one time.

A signal is one of three kinds.

* Pieces of polynomials in $s = (t - t_p) / w_p$: constants, lines, ramps, tables, and users'
  functions that were replaced by a checked fit.
* A sinusoid, $c + a\sin(\omega t + \varphi)$.
* Machine code or a Python function behind an address, which writes its own answers.

The row of a stage is a pure function of t: the same bits however a run is cut into pieces.
"""

from typing import Any

import numpy as np

from chasles.compiled import beyond, borrow, call_address, formula, kernel, once, routine
from chasles.core.arrays import copy, vec4
from chasles.scalars import polynomial as plain
from chasles.scalars.elementary import cos, sin

# Signals.kind
PIECES, SINUSOID, BY_ADDRESS = 0, 1, 2
#: Numbers of a signal in pieces before its first piece: first and last time, slack, degree; numbers
#: of a piece before its coefficients: start, origin, width (0: ask the address).
HEAD, PIECE_HEAD = 4, 3

polynomial = formula(plain.polynomial)
sinusoid = formula(plain.sinusoid)


@formula
def find_piece(numbers: Any, first: int, stride: int, count: int, t: float) -> int:
    """The last piece that starts at t or before, by bisection; the first one if none does."""
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if numbers[first + middle * stride] <= t:
            low = middle
        else:
            high = middle
    return low


@routine
def put_orders(signals: Any, k: int, values: Any, out: Any) -> None:
    """As many of value, rate and second derivative as are wanted."""
    column, orders = signals.column[k], signals.orders[k]
    out[column] = values[0]
    if orders > 1:
        out[column + 1] = values[1]
    if orders > 2:
        out[column + 2] = values[2]


@once
def put_pieces(signals: Any, k: int, t: float, out: Any) -> None:
    """A signal in pieces; NaN beyond its ends, unless there is an address to ask."""
    numbers, first, address = signals.numbers, signals.first[k], signals.address[k]
    start, end, slack = numbers[first], numbers[first + 1], numbers[first + 2]
    degree = int(numbers[first + 3])
    stride, pieces = PIECE_HEAD + degree + 1, first + HEAD
    known = start - slack <= t and t <= end + slack
    inside = min(max(t, start), end)
    at = pieces + stride * find_piece(numbers, pieces, stride, signals.pieces[k], inside)
    width = numbers[at + 2]
    if address != 0 and (not known or width == 0.0):
        call_address(address, t, out, out)
    elif not known:
        put_orders(signals, k, (np.nan, np.nan, np.nan), out)
    else:
        s = (inside - numbers[at + 1]) / width
        value, rate, second = polynomial(s, degree, numbers, at + PIECE_HEAD)
        put_orders(signals, k, (value, rate / width, second / (width * width)), out)


@once
def put_sinusoid(signals: Any, k: int, t: float, out: Any) -> None:
    amplitude, pulse, phase, offset = vec4(signals.numbers, signals.first[k])
    angle = pulse * t + phase
    put_orders(signals, k, sinusoid(sin(angle), cos(angle), amplitude, pulse, offset), out)


@routine
def put_signals(signals: Any, t: float, out: Any) -> None:
    """The time and all functions of it: out[0] = t, then the columns of every signal.

    A C function at an address gets the row as its inputs and its outputs, and knows its columns.
    """
    out[0] = t
    for k in range(signals.count):
        kind = signals.kind[k]
        if kind == PIECES:
            put_pieces(signals, k, t, out)
        elif kind == SINUSOID:
            put_sinusoid(signals, k, t, out)
        else:
            call_address(signals.address[k], t, out, out)


@kernel("functions of time", seconds=1, plain=(4096, 65536))
def sample_signals(signals: Any, times: Any, row: Any, table: Any) -> None:
    """Rows of a table (T, width) at T times; `row` is a spare one."""
    functions, spare, out = borrow(signals), borrow(row), borrow(table)
    for k in range(times.size):
        put_signals(functions, times[k], spare)
        copy(spare, beyond(out, k * functions.width), functions.width)
