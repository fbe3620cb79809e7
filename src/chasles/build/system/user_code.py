"""A user's formulas behind C addresses, which the kernels call like their own.

A formula marked `compiled` becomes machine code; any other callable is called back through Python.
Nothing can be raised through a kernel: what goes wrong in a formula is kept, answered with NaN,
and reported when the run stops.
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

from chasles.compiled import pointers, users_formula
from chasles.compiled.cache import KernelCache
from chasles.compiled.reach import Unknown, digest_of
from chasles.core.arrays import Floats
from chasles.model import (
    ChaslesError,
    CustomCoupling,
    CustomForce,
    CustomJoint,
    InvalidCoupling,
    InvalidForce,
    InvalidJoint,
    JointLaw,
    Motor,
)
from chasles.model.errors import one_line
from chasles.scalars.jet import Jet, pose_jets

#: What runs in Python in the place of an address, while steps are recorded: address -> function.
RECORDED = pointers.RECORDED
POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, POINTER, POINTER)
NUMBER, NUMBERS = numba.types.float64, numba.types.CPointer(numba.types.float64)
#: What a force is given of a body: position, rotation, velocity, angular velocity; what a joint is
#: given: rotation, position and twist.
SEEN = 18
FORCE_ANSWERS = 6
#: Compiled formulas of users that are kept on disk.
MOST_FORMULAS = 64
NAN = float("nan")


class Callback:
    """A Python function behind a C address.

    Its first failure is kept, until it succeeds again: at the start of a run it is asked once with
    all bodies at rest, which it need not know an answer to.  An interruption by the user is kept
    until it is reported; the function is not called meanwhile: a repeated step would lose it.
    """

    def __init__(self, inputs: int, answers: int, first: int = 0) -> None:
        self.inputs, self.answers = inputs, answers
        self.first = first  # where the first answer goes
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
        values: Sequence[float] = [NAN] * self.answers
        try:
            if not self.is_interrupted:
                values = self.values(t, motion)
                if self.failure is not None and np.isfinite(motion).all():
                    self.failure = None
        except BaseException as failure:  # Ctrl-C among them: ctypes would swallow it
            if self.failure is None or not isinstance(failure, Exception):
                self.failure = failure
        for k in range(self.answers):
            out[self.first + k] = values[k]

    @property
    def is_interrupted(self) -> bool:
        """By Ctrl-C, or by an exit that the formula asked for."""
        return self.failure is not None and not isinstance(self.failure, Exception)

    @property
    def error(self) -> ChaslesError | None:
        """What went wrong; an interruption by the user goes on from here."""
        if self.failure is None or isinstance(self.failure, ChaslesError):
            return self.failure
        failure, self.failure = self.failure, None
        raise failure


class PythonForce(Callback):
    """A force whose formula is any Python callable."""

    def __init__(self, force: CustomForce) -> None:
        bodies = 1 + len(force.others)
        super().__init__(SEEN * (2 if force.sees_reaction else bodies), FORCE_ANSWERS * bodies)
        self.force = force

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        if self.force.others:
            motions = (motion_of(given[at : at + SEEN]) for at in range(0, self.inputs, SEEN))
            pairs = self.force.wrenches(t, *motions)
            return [number for pair in pairs for vector in pair for number in vector]
        other = (motion_of(given[SEEN:]),) if self.force.sees_reaction else ()
        force, torque = self.force.wrench(t, *motion_of(given), *other)
        return *force, *torque


class PythonEffort(Callback):
    """An effort along a joint's coordinate, of time, coordinate and rate: a law, or a motor's."""

    def __init__(self, force: JointLaw | Motor) -> None:
        super().__init__(inputs=2, answers=1)
        self.force = force

    def values(self, t: float, given: list[float]) -> Sequence[float]:
        return (self.force.effort_at(t, given[0], given[1]),)


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
    """A name for the force and its formula; a new one if no digest of the formula can be made."""
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
    first_line = next((line for line in lines if not line.startswith("Failed in")), "")
    return (
        first_line or f"the compiler does not know what it uses or returns ({type(error).__name__})"
    )


class CustomRows(Callback):
    """A custom joint or coupling: residuals, J and eta from one pass of jets.

    J are the derivatives along the six unit twists of every body that the formula sees, eta is
    minus the second derivative along the actual twists.
    """

    def __init__(self, joint: CustomJoint | CustomCoupling, bodies: int = 2) -> None:
        super().__init__(SEEN * bodies, (6 * bodies + 2) * joint.rows)
        self.joint, self.bodies = joint, bodies
        self.where = joint.where if isinstance(joint, CustomCoupling) else f"joint '{joint.name}'"
        self.invalid: type[ChaslesError] = (
            InvalidCoupling if isinstance(joint, CustomCoupling) else InvalidJoint
        )

    def rows_at(self, given: Floats) -> tuple[Floats, Floats, Floats]:
        """g (rows,), J (rows, 6 n) and eta (rows,) at n poses and twists (18 numbers each)."""
        width = 6 * self.bodies
        along = np.vstack((np.eye(width), given.reshape(-1, SEEN)[:, 12:].ravel()))
        value, first, second = self.taylor(given, along)
        return value, first[:, :width], -second[:, width]

    def taylor(self, given: Floats, along: Floats) -> tuple[Floats, Floats, Floats]:
        """Residuals (rows,) and their two derivatives (rows, k) along twists of all (k, 6 n)."""
        joint, still = self.joint, np.zeros(len(along))
        poses = [
            pose_jets(pose[:9].reshape(3, 3), pose[9:12], along[:, 6 * k : 6 * k + 6])
            for k, pose in enumerate(given.reshape(-1, SEEN))
        ]
        try:
            returned = joint.formula(*poses)
            answer = [returned] if isinstance(returned, Jet | float | int) else list(returned)
            jets = [x if isinstance(x, Jet) else Jet(float(x), still, still) for x in answer]
        except Exception as error:
            raise self.invalid(
                f"{self.where}: its formula cannot be differentiated, it raised"
                f" {type(error).__name__}: {one_line(error)}",
                "Use + - * / ** and NumPy's functions of the numbers in the poses (np.sqrt(x), not"
                " math.sqrt(x)), and turn none of them into a float.",
            ) from error
        if len(jets) != joint.rows:
            raise self.invalid(
                f"{self.where}: its formula returned {len(jets)} numbers, but rows is"
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
            raise self.invalid(
                f"{self.where}: a {what} of its formula is NaN or infinite.",
                "Give a formula that is smooth at every pose the joint passes.",
            )
        return rows.tolist()


#: The machine code of a force serves all runs: compiling takes longer than most of them.
shared_force = lru_cache(maxsize=64)(CompiledForce)


def formula_of(force: Any) -> Callback | None:
    """What of a force is a user's formula, behind an address: all of it, or a motor's effort."""
    if isinstance(force, CustomForce):
        return force_formula(force)
    if isinstance(force, JointLaw) or (isinstance(force, Motor) and force.feedback is not None):
        return PythonEffort(force)
    return None


def force_formula(force: CustomForce) -> Callback:
    """The formula of a force behind an address; to be kept alive as long as that is used."""
    if not force.compiled:
        return PythonForce(force)
    try:
        formula = shared_force(force)
    except TypeError:  # a callable that cannot be looked up, and does not compile either
        formula = CompiledForce(force)
    formula.failure = None
    return formula
