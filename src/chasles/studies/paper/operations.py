"""How many operations a group's update takes: the formulas run on numbers that count."""

from typing import Any

from chasles.groups.se3 import se3_compose, se3_dexp_inv, se3_exp
from chasles.groups.so3xr3 import so3xr3_compose, so3xr3_dexp_inv, so3xr3_exp

UPDATES = {
    "SE3": (se3_dexp_inv, se3_exp, se3_compose),
    "SO3xR3": (so3xr3_dexp_inv, so3xr3_exp, so3xr3_compose),
}


class Counting(float):
    """A float that counts what is done to it, in `Counting.operations`."""

    operations = 0

    @classmethod
    def counted(cls, value: float) -> "Counting":
        cls.operations += 1
        return cls(value)


def _counting(name: str) -> Any:
    plain = getattr(float, name)

    def operation(self: Counting, other: float) -> Counting:
        return Counting.counted(plain(self, float(other)))

    return operation


for _name in ("add", "sub", "mul", "truediv"):
    for _side in ("__{}__", "__r{}__"):
        setattr(Counting, _side.format(_name), _counting(_side.format(_name)))


def vector(x: float, y: float, z: float) -> tuple[Counting, ...]:
    return Counting(x), Counting(y), Counting(z)


def operations_of_a_stage(group: str) -> int:
    """Additions, subtractions, multiplications and divisions in dexp^-1, exp and composition."""
    dexp_inv, exp, compose = UPDATES[group]
    psi = vector(0.04, -0.06, 0.07), vector(0.1, 0.2, 0.3)
    velocity = vector(10.0, 20.0, -30.0), vector(1.0, 2.0, 3.0)
    quaternion = tuple(Counting(x) for x in (0.5, -0.5, 0.5, 0.5))
    pose = quaternion, vector(1.0, 2.0, 3.0)
    Counting.operations = 0
    dexp_inv(psi, velocity)
    compose(pose, exp(psi))
    return Counting.operations
