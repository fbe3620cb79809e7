"""A user's formulas behind C addresses, which the kernels call like their own.

A formula marked `compiled` becomes machine code; any other callable is called back through Python,
about a hundred times slower per call.  An error in it is kept, answered with NaN, and raised when
the run stops.
"""

import ctypes
from typing import Any

import numba
import numpy as np

from chasles.model import ChaslesError, CustomForce, CustomJoint, InvalidModel
from chasles.system.arrays import Floats
from chasles.system.jets import Jet, pose_jets

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_double, POINTER, POINTER)
C_TYPES = numba.types.void(
    numba.types.float64,
    numba.types.CPointer(numba.types.float64),
    numba.types.CPointer(numba.types.float64),
)


class PythonFormula:
    """A Python callable behind a C address; its first error is kept."""

    def __init__(self, force: CustomForce) -> None:
        self.force = force
        self.error: ChaslesError | None = None
        self.callback = SIGNATURE(self.answer)
        address = ctypes.cast(self.callback, ctypes.c_void_p).value
        assert address is not None
        self.address = address

    def answer(self, t: float, given: Any, out: Any) -> None:
        x = given[0:18]
        motion = (tuple(x[0:3]), tuple(x[3:12]), tuple(x[12:15]), tuple(x[15:18]))
        values = [float("nan")] * 6
        try:
            force, torque = self.force.wrench(t, *motion)
            values = [*force, *torque]
        except ChaslesError as error:
            self.error = self.error or error
        for k in range(6):
            out[k] = values[k]


def force_address(force: CustomForce) -> tuple[int, Any]:
    """The address of a force's formula, and what has to be kept alive for it."""
    if not force.compiled:
        formula = PythonFormula(force)
        return formula.address, formula
    user = numba.njit(force.formula)

    def answer(t, x, out):
        rotation = (x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11])
        result = user(t, (x[0], x[1], x[2]), rotation, (x[12], x[13], x[14]), (x[15], x[16], x[17]))
        for k in range(3):
            out[k] = result[0][k]
            out[3 + k] = result[1][k]

    try:
        compiled = numba.cfunc(C_TYPES)(answer)
    except numba.core.errors.NumbaError as error:
        first = str(error).strip().splitlines()[0]
        raise InvalidModel(
            f"the formula of force '{force.name}' does not compile: {first}",
            "Use floats, tuples and the math module only, or leave compiled=True out.",
        ) from None
    return compiled.address, compiled


class CustomRows:
    """A custom joint behind a C address: residuals, J and eta from one pass of jets.

    J are the derivatives along the twelve unit twists of both bodies, eta is minus the second
    derivative along the actual twists.
    """

    def __init__(self, joint: CustomJoint) -> None:
        self.joint = joint
        self.error: ChaslesError | None = None
        self.callback = SIGNATURE(self.answer)
        address = ctypes.cast(self.callback, ctypes.c_void_p).value
        assert address is not None
        self.address = address

    def rows_at(self, given: Floats) -> tuple[Floats, Floats, Floats]:
        """g (rows,), J (rows, 12) and eta (rows,) at two poses and twists (36 numbers)."""
        directions = np.vstack((np.eye(12), np.concatenate((given[12:18], given[30:36]))))
        poses = [
            pose_jets(
                given[at : at + 9].reshape(3, 3), given[at + 9 : at + 12],
                directions[:, 6 * side : 6 * side + 6],
            )
            for side, at in enumerate((0, 18))
        ]  # fmt: skip
        answer = tuple(self.joint.formula(*poses))
        if len(answer) != self.joint.rows:
            raise ValueError(f"{len(answer)} residuals instead of {self.joint.rows}")
        zero = np.zeros(13)
        jets = [x if isinstance(x, Jet) else Jet(float(x), zero, zero) for x in answer]
        jacobian = np.array([jet.first[:12] for jet in jets])
        eta = -np.array([jet.second[12] for jet in jets])
        return np.array([jet.value for jet in jets]), jacobian, eta

    def answer(self, t: float, given: Any, out: Any) -> None:
        rows = self.joint.rows
        try:
            g, jacobian, eta = self.rows_at(np.array(given[0:36]))
            values = np.concatenate((g, jacobian.ravel(), eta))
        except Exception as error:
            values = np.full(14 * rows, np.nan)
            self.error = self.error or InvalidModel(
                f"the formula of joint '{self.joint.name}' raised {type(error).__name__}: {error}.",
                "It takes (pose_a, pose_b), each (R as nine numbers, r), and returns its residuals;"
                " use +, -, *, / and chasles' sqrt, sin, cos, atan2.",
            )
        for k in range(14 * rows):
            out[k] = values[k]
