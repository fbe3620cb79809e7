"""A user's formulas behind C addresses, which the kernels call like their own.

A formula marked `compiled` becomes machine code; any other callable is called back through Python.
Nothing can be raised through a kernel: what goes wrong in a formula is kept, answered with NaN,
and told when the run stops.
"""

import ctypes
import hashlib
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from weakref import WeakSet

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature

from chasles.compiled import users_formula
from chasles.compiled.cache import KernelCache
from chasles.compiled.reach import Unknown, digest_of
from chasles.core.arrays import Floats
from chasles.model import (
    ChaslesError,
    CustomForce,
    CustomJoint,
    InvalidForce,
    InvalidJoint,
    JointLaw,
    Motor,
)
from chasles.model.errors import one_line
from chasles.scalars.jet import Jet, pose_jets

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, POINTER, POINTER)
NUMBER, NUMBERS = numba.types.float64, numba.types.CPointer(numba.types.float64)
#: What a force is given: position, rotation, velocity, angular velocity; what a joint is given:
#: rotation, position and twist of both bodies.
FORCE_INPUTS, JOINT_INPUTS = 18, 36
FORCE_ANSWERS = 6
#: Compiled formulas of users that are kept on disk.
MOST_FORMULAS = 64
NAN = float("nan")


class Callback:
    """A Python function behind a C address.

    Its first failure is kept, until it succeeds again: at the start of a run it is asked once with
    all bodies at rest, which it need not know an answer to.
    """

    def __init__(self, inputs: int, answers: int) -> None:
        self.inputs, self.answers = inputs, answers
        self.failure: BaseException | None = None
        self.callback = SIGNATURE(self.answer)
        address = ctypes.cast(self.callback, ctypes.c_void_p).value
        assert address is not None
        self.address = address

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        """The answers; raises a ChaslesError that names the formula."""
        raise NotImplementedError

    def answer(self, t: float, given: Any, out: Any) -> None:
        motion = given[0 : self.inputs]
        try:
            values = self.values(t, motion)
            if self.failure is not None and np.isfinite(motion).all():
                self.failure = None
        except BaseException as failure:  # Ctrl-C among them: ctypes would swallow it
            self.failure = self.failure or failure
            values = [NAN] * self.answers
        for k in range(self.answers):
            out[k] = values[k]

    @property
    def error(self) -> ChaslesError | None:
        """What went wrong; an interruption by the user goes on from here."""
        if self.failure is None or isinstance(self.failure, ChaslesError):
            return self.failure
        raise self.failure


class PythonForce(Callback):
    """A force whose formula is any Python callable."""

    def __init__(self, force: CustomForce) -> None:
        super().__init__(FORCE_INPUTS * (2 if force.sees_reaction else 1), FORCE_ANSWERS)
        self.force = force

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        other = (motion_of(given[FORCE_INPUTS:]),) if self.force.sees_reaction else ()
        force, torque = self.force.wrench(t, *motion_of(given), *other)
        return *force, *torque


class PythonLaw(Callback):
    """A law along a joint's coordinate."""

    def __init__(self, force: JointLaw) -> None:
        super().__init__(inputs=2, answers=1)
        self.force = force

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        return (self.force.effort(t, given[0], given[1]),)


class CompiledForce(PythonForce):
    """A force whose formula is machine code, which asks Python only for words when it fails."""

    def __init__(self, force: CustomForce) -> None:
        super().__init__(force)
        self.compiled, self.complaint = compiled_force(force)
        self.complaint.forces.add(self)
        self.address = self.compiled.address

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        super().values(t, given)  # which raises, and says why
        raise InvalidForce(
            f"{self.force.where}: its compiled formula gives NaN or infinity at t = {t:g} s, where"
            " the same formula in Python does not.",
            "Leave compiled=True out.",
        )


class Complaint:
    """What machine code calls where its answer is not a number: every force that uses it says why.

    Machine code on disk knows it by a name, not by an address.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.forces: WeakSet[CompiledForce] = WeakSet()
        self.callback = SIGNATURE(self.pass_on)
        llvm.add_symbol(name, ctypes.cast(self.callback, ctypes.c_void_p).value)

    def pass_on(self, t: float, given: Any, out: Any) -> None:
        for force in list(self.forces):
            force.answer(t, given, out)


def motion_of(given: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """Position, rotation, velocity and angular velocity."""
    return tuple(given[0:3]), tuple(given[3:12]), tuple(given[12:15]), tuple(given[15:18])


#: Machine code of formulas in this process, and what it calls, by that name.
in_use: dict[str, tuple[Any, Complaint]] = {}


def compiled_force(force: CustomForce) -> tuple[Any, Complaint]:
    """The C function of a force's formula, kept on disk, and what it calls when it fails."""
    name = complaint_name(force)
    if name not in in_use:
        complaint = Complaint(name)
        in_use[name] = c_function(force, name), complaint
    return in_use[name]


def complaint_name(force: CustomForce) -> str:
    """A name that says which force and formula; any new one where the formula cannot be told."""
    try:
        key = f"{force.where} {digest_of(plain_formula(force.formula))}"
    except (Unknown, AttributeError):
        key = f"{force.where} {time.time_ns()} {len(in_use)}"
    return f"chasles_complaint_{hashlib.sha256(key.encode()).hexdigest()[:24]}"


def c_function(force: CustomForce, complaint: str) -> Any:
    """void f(double t, double *x, double *out) that calls the user's formula."""
    plain = plain_formula(force.formula)
    try:
        user = users_formula(plain)
    except Exception as error:  # a callable that is not a function
        raise does_not_compile(force, error) from None
    kind = numba.types.void(NUMBER, NUMBERS, NUMBERS)
    complain = numba.types.ExternalFunction(complaint, kind)

    def answer(t: float, x: Any, out: Any) -> None:
        position, velocity, omega = (x[0], x[1], x[2]), (x[12], x[13], x[14]), (x[15], x[16], x[17])
        rotation = (x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11])
        total = NAN
        try:
            (fx, fy, fz), (tx, ty, tz) = user(t, position, rotation, velocity, omega)
            total = fx + fy + fz + tx + ty + tz
            out[0], out[1], out[2], out[3], out[4], out[5] = fx, fy, fz, tx, ty, tz
        except Exception:
            total = NAN
        if not np.isfinite(total):
            complain(t, x, out)

    made: Any = CFunc(answer, normalize_signature(kind), locals={}, options={})
    made._cache = KernelCache(answer, "formula", keep=MOST_FORMULAS)
    if not made._cache.holds(made._sig, made._targetdescr.target_context):
        machine_code(force)  # or why it does not compile
    made.compile()
    return made


def plain_formula(formula: Any) -> Any:
    return formula.py_func if isinstance(formula, Dispatcher) else formula


def machine_code(force: CustomForce) -> None:
    """Refuse a formula that does not compile, or returns anything but two times three numbers."""
    try:
        returned = returned_type(force.formula)
    except Exception as error:  # Numba's own, and those that its compiler stumbles into
        raise does_not_compile(force, error) from None
    if not is_pair_of_vectors(returned):
        raise InvalidForce(
            f"{force.where}: its compiled formula returns {returned}.",
            "Return two tuples of three numbers: (force, torque).",
        )


def does_not_compile(force: CustomForce, error: Exception) -> InvalidForce:
    return InvalidForce(
        f"{force.where}: its formula does not compile: {reason(error)}",
        "Use numbers, tuples and the math module only, return two tuples of three numbers"
        " (force, torque), or leave compiled=True out.",
    )


def returned_type(formula: Any) -> Any:
    """The compiled type of what a force's formula returns."""
    user = numba.njit(error_model="numpy")(plain_formula(formula))
    three, nine = numba.types.UniTuple(NUMBER, 3), numba.types.UniTuple(NUMBER, 9)
    inputs = (NUMBER, three, nine, three, three)
    user.compile(inputs)
    return user.overloads[inputs].signature.return_type


def is_pair_of_vectors(returned: Any) -> bool:
    def is_tuple(kind: Any, length: int) -> bool:
        return isinstance(kind, numba.types.BaseTuple) and len(kind) == length

    return is_tuple(returned, 2) and all(
        is_tuple(part, 3)
        and all(isinstance(x, numba.types.Float | numba.types.Integer) for x in part)
        for part in returned
    )


def reason(error: Exception) -> str:
    """The line of a compiler's message that says what is wrong."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith("Failed in")), "")
    return told or f"the compiler does not know what it uses or returns ({type(error).__name__})"


class CustomRows(Callback):
    """A custom joint: residuals, J and eta from one pass of jets.

    J are the derivatives along the twelve unit twists of both bodies, eta is minus the second
    derivative along the actual twists.
    """

    def __init__(self, joint: CustomJoint) -> None:
        super().__init__(JOINT_INPUTS, 14 * joint.rows)
        self.joint = joint

    def rows_at(self, given: Floats) -> tuple[Floats, Floats, Floats]:
        """g (rows,), J (rows, 12) and eta (rows,) at two poses and twists (36 numbers)."""
        along = np.vstack((np.eye(12), np.concatenate((given[12:18], given[30:36]))))
        value, first, second = self.taylor(given, along)
        return value, first[:, :12], -second[:, 12]

    def taylor(self, given: Floats, along: Floats) -> tuple[Floats, Floats, Floats]:
        """Residuals (rows,) and their two derivatives (rows, k) along twists of a and b (k, 12)."""
        joint, still = self.joint, np.zeros(len(along))
        poses = [
            pose_jets(given[at : at + 9].reshape(3, 3), given[at + 9 : at + 12], twists)
            for at, twists in ((0, along[:, :6]), (18, along[:, 6:]))
        ]
        try:
            answer = list(joint.formula(*poses))
            jets = [x if isinstance(x, Jet) else Jet(float(x), still, still) for x in answer]
        except Exception as error:
            raise InvalidJoint(
                f"joint '{joint.name}': its formula cannot be differentiated, it raised"
                f" {type(error).__name__}: {one_line(error)}",
                "Use + - * / ** and NumPy's functions of the numbers in the poses (np.sqrt(x), not"
                " math.sqrt(x)), and turn none of them into a float.",
            ) from error
        if len(jets) != joint.rows:
            raise InvalidJoint(
                f"joint '{joint.name}': its formula returned {len(jets)} numbers, but rows is"
                f" {joint.rows}.",
                f"Return a tuple of {joint.rows}, or correct rows=.",
            )
        return (
            np.array([jet.value for jet in jets]),
            np.array([jet.first for jet in jets]),
            np.array([jet.second for jet in jets]),
        )

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        g, jacobian, eta = self.rows_at(np.array(given))
        rows = np.concatenate((g, jacobian.ravel(), eta))
        if not np.isfinite(rows).all() and np.isfinite(given).all():
            what = "residual" if not np.isfinite(g).all() else "derivative of a residual"
            raise InvalidJoint(
                f"joint '{self.joint.name}': a {what} of its formula is NaN or infinite.",
                "Give a formula that is smooth at every pose the joint passes.",
            )
        return rows.tolist()


class MotorEffort(Callback):
    """A motor's effort as a function of time, coordinate and rate, in Python."""

    def __init__(self, motor: Motor) -> None:
        super().__init__(2, 1)
        self.motor = motor

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        effort = self.motor.feedback
        assert effort is not None
        return (effort.effort_at(t, given[0], given[1], self.motor.where),)


#: The machine code of a force serves all runs: compiling takes longer than most of them.
shared_force = lru_cache(maxsize=64)(CompiledForce)


def formula_of(force: Any, is_formula: bool) -> Callback | None:
    """What of a force is a user's formula, behind an address: all of it, or a motor's effort."""
    if is_formula:
        return force_formula(force)
    if isinstance(force, Motor) and force.feedback is not None:
        return MotorEffort(force)
    return None


def force_formula(force: CustomForce | JointLaw) -> Callback:
    """The formula of a force behind an address; to be kept alive as long as that is used."""
    if isinstance(force, JointLaw):
        return PythonLaw(force)
    if not force.compiled:
        return PythonForce(force)
    try:
        formula = shared_force(force)
    except TypeError:  # a callable that cannot be looked up, and does not compile either
        formula = CompiledForce(force)
    formula.failure = None
    return formula
