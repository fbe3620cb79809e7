"""How a step can end, in one table: code, what is said of it, and what to do about it; and counts.

A kernel returns one number.  Zero or more is the constraint row whose pivot vanished; OK and the
other codes are negative.  Whoever runs kernels, one system or many, here or on another device,
reads them by this table.  Nobody can tell from the number of steps what methods that iterate did,
so they count as they go:

evaluations     of accelerations or forces of the whole mechanism
iterations      of Newton's method, of a fixed point, or corrections of velocities
factorisations  of matrices of the whole mechanism beside those that evaluations factor themselves
"""

from typing import Any, NamedTuple

from chasles.compiled import hot

OK = -1
NOT_FINITE = -2
NOT_CLOSED = -3
CONTRADICTED = -4
NOT_SOLVED = -5
TURNED = -6
NOT_CONVERGED = -7
NEWTON_FAILED = -10


class Outcome(NamedTuple):
    """What a code means.  Fields in braces are filled in by whoever knows the names."""

    name: str
    what: str
    remedy: str


SINGULAR = Outcome(
    "singular",
    "joint '{joint}' (direction {component}) became singular after t = {t:.6g} s.",
    "The mechanism passes a pose in which its joints depend on each other; the result up to t is"
    " kept. simulate(..., singular='pass') continues; if there is no such pose, take a smaller"
    " step.",
)
#: In a tree of lower pairs no pose is singular: the numbers are, from a step that is too long.
STEP_TOO_LONG = Outcome(
    "step too long",
    "the accelerations at joint '{joint}' (direction {component}) could not be solved for after"
    " t = {t:.6g} s: positions or velocities have grown beyond all bounds.",
    "Take a smaller step than {step:g} s (a stiff spring or damper needs one, or"
    " method='linearly-implicit'); the result up to t is kept.",
)
OUTCOMES = {
    OK: Outcome("ok", "the step succeeded.", ""),
    NOT_FINITE: Outcome(
        "not finite",
        "body '{body}' has a position or velocity that is not a number after t = {t:.6g} s.",
        "Take a smaller step than {step:g} s, or method='linearly-implicit' if a spring, damper or"
        " contact is stiff; the result up to t is kept.",
    ),
    NOT_CLOSED: Outcome(
        "not closed",
        "projection could not close the joints {joints} after t = {t:.6g} s.",
        "Take a smaller step than {step:g} s, or a method of higher order.",
    ),
    CONTRADICTED: Outcome(
        "contradicted",
        "{contradiction}",
        "Leave one of them out, or give motions that the joints allow together. If they do allow"
        " them, the step may be too large, or the pose singular (a chain that is stretched"
        " straight): start beside it. The result up to t is kept.",
    ),
    NOT_SOLVED: Outcome(
        "not solved",
        "the accelerations that joint '{joint}' (direction {component}) asks for could not be"
        " solved for after t = {t:.6g} s: redundant constraints do not quite agree.",
        "Take a smaller step than {step:g} s, project the joints (stabilise='projection'), or"
        " replace a joint of the loop by one that locks less; the result up to t is kept.",
    ),
    TURNED: Outcome(
        "turned too far",
        "body '{body}' turns by {turn:.3g} rad in the step after t = {t:.6g} s, too far: near full"
        " turns about an axis that moves, the rate of a rotation has a pole (dexp^-1).",
        "Take a smaller step than {step:g} s (below {limit:.2g} s it turns by less than half a"
        " turn); the result up to t is kept.",
    ),
    NOT_CONVERGED: Outcome(
        "not converged",
        "the implicit equations of the step after t = {t:.6g} s were not solved: the iteration did"
        " not converge.",
        "Take a smaller step than {step:g} s (a stiff spring or damper needs one, or"
        " method='linearly-implicit' or 'generalized-alpha'); the result up to t is kept.",
    ),
    NEWTON_FAILED: Outcome(
        "Newton failed",
        "Newton's iteration of the step after t = {t:.6g} s did not converge: after {iterations}"
        " iterations {worst}.",
        "Take a smaller step than {step:g} s (parts of it, down to a thousandth, are tried where"
        " few steps need them, but not of the first one), or soften or smooth what jumps there (a"
        " contact, friction). The result up to t is kept.",
    ),
}


EVALUATED, ITERATED, FACTORED = range(3)
TALLY_WIDTH = 3


@hot
def count_up(tally: Any, what: int, times: int) -> None:
    """Count so many more of a kind."""
    tally[what] += float(times)
