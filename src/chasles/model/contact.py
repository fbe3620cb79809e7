"""Contact of a body with a plane or a ball: it pushes, rubs, and never pulls.

A contact is a force like any other, smooth in the motion: bodies sink into each other a little,
and friction creeps a little.  Nothing is found by search: what may touch what is said by the user.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any

from chasles.model.body import GROUND, Body, body_that, checked_bodies, name_of
from chasles.model.checks import Invalid, checked_number, fill
from chasles.model.errors import InvalidForce, short_repr
from chasles.model.fields import (
    DirectionOrNone,
    PointOrNone,
    given,
    not_negative,
    optional,
    positive,
)
from chasles.model.forces import Force
from chasles.model.joints import Attachment, End, Z, check_pair
from chasles.model.shapes import Box, Capsule, Rod, Shape, Sphere

#: Shapes that touch by a few balls or points.
TOUCHING = (Sphere, Capsule, Rod, Box)
ALLOWED = "Sphere, Capsule, Rod or Box"
TOUCHES = "Give the body with the shape as b, and what it touches as a."
LEAST = 1e-300  # m; the inverse of a smaller radius is not a number


def checked_touching(shape: Any, what: str, where: str, invalid: Invalid) -> Shape:
    """A shape that touches by balls or points."""
    if not isinstance(shape, TOUCHING):
        found = shape.kind if isinstance(shape, Shape) else short_repr(shape)
        raise invalid(
            f"{where}: {what} must be a {ALLOWED}, got {found}.",
            "Give the balls, ends or corners that touch: shape=Sphere(0.1, position=(0, 0, -1)).",
        )
    return shape


class Contact(Force):
    r"""Contact of a shape of b with a plane or a sphere of a: normal force and friction.

    Parameters
    ----------
    a
        Body of the plane or sphere, or GROUND.
    b
        Body of the shape.
    at
        A point of the plane, or the centre of the sphere, in world coordinates at the start, m.
        For a sphere, the centre of mass of a if left out.
    axis
        Normal of the plane in world axes, towards b. z if left out.
    radius
        Radius of the sphere, m. None: a plane. Negative: a hollow sphere with b inside.
    shape
        Shape on b that touches, in body axes from the centre of mass: a Sphere, the two ends of
        a Capsule or Rod, or the eight corners of a Box. The shape of b if left out.
    stiffness
        Linear stiffness k, N/m. Give stiffness, hertz, or both.
    hertz
        Hertz stiffness h, N/m^1.5; 4/3 E sqrt(r) for a sphere.
    dissipation
        Hunt and Crossley's coefficient c, s/m. 0 conserves energy.
    friction
        Coulomb's coefficient mu.
    slip
        Smoothing speed s of friction, m/s. At this sliding speed friction is 0.7 mu N.

    Notes
    -----
    A sphere that has sunk in by d > 0 feels the normal force N, and friction f at its deepest
    point, which slides with v:

    .. math:: N = (k d + h d^{3/2}) \max(0, 1 + c\,\dot d), \qquad
              f = -\mu N v / \sqrt{|v|^2 + s^2}

    a feels the opposite force at the same point. The force is continuous; its slope is continuous,
    too, if k = 0. **Friction does not stick**: under a load below mu N, b creeps at a fraction of
    s. Steps must be short compared with sqrt(m / k), the time of a bounce over pi, and with m s /
    (mu N), which is s / (mu g) for a body at rest on a plane. **There is no collision detection**:
    a body that moves in one step farther than both bodies are wide may pass through, and nothing
    reports it.

    Examples
    --------
    >>> ball = Body.sphere("ball", radius=0.1, mass=1.0, position=(0, 0, 1))
    >>> Contact("floor", GROUND, ball, at=(0, 0, 0), stiffness=1e4, friction=0.5).axis
    (0.0, 0.0, 1.0)
    """

    acts_by = ("stiffness", "hertz")

    a: End
    b: Annotated[End, body_that("has no shape", TOUCHES)]
    at: PointOrNone = given(default=None)
    axis: DirectionOrNone = given(default=None)
    radius: Annotated[float | None, optional(checked_number)] = None
    shape: Annotated[Shape | None, optional(checked_touching)] = None
    stiffness: Annotated[float, not_negative("N/m")] = 0.0
    hertz: Annotated[float, not_negative("N/m^1.5")] = 0.0
    dissipation: Annotated[float, not_negative("s/m")] = 0.0
    friction: Annotated[float, not_negative("N/N")] = 0.0
    slip: Annotated[float, positive("m/s")] = 0.01

    def _check(self) -> None:
        super()._check()
        check_pair(self.a, self.b, self.where, InvalidForce)
        self._check_surface()

    @classmethod
    def each(
        cls, name: str, a: Attachment, bodies: Iterable[Body], skip: bool = False, **given: Any
    ) -> list["Contact"]:
        """One contact for every shape of several bodies: a robot on its floor.

        Parameters
        ----------
        name
            Prefix of the names: "floor foot 0" is the name, the body and the number of the
            shape.
        a
            Body of the plane or sphere, or GROUND.
        bodies
            The bodies.
        skip
            Whether shapes that cannot touch (cylinders, meshes) are left out. Otherwise they
            are refused.
        given
            Other arguments of Contact, except `shape`: at, axis, stiffness, friction, ...

        Examples
        --------
        >>> legs = [Body.sphere(f"leg {k}", 0.1, mass=1.0) for k in (1, 2)]
        >>> floor = Contact.each("floor", GROUND, legs, at=(0, 0, 0), stiffness=1e4)
        >>> [contact.name for contact in floor]
        ['floor leg 1 0', 'floor leg 2 0']
        """
        found: list[Contact] = []
        for body in checked_bodies(bodies, "bodies", f"force '{name}'", InvalidForce):
            if body.name == name_of(a):
                continue
            for number, shape in enumerate(body.shapes):
                own = f"{name} {body.name} {number}"
                if not skip or isinstance(shape, TOUCHING):
                    checked_touching(shape, "shape", f"force '{own}'", InvalidForce)
                    found.append(cls(own, a, body, shape=shape, **given))
        return found

    def completed(self, bodies: Mapping[str, Body]) -> "Contact":
        """The same with b's own shape and a's centre of mass where they were left out."""
        changes: dict[str, Any] = {}
        if self.at is None:
            changes["at"] = bodies[self.a].position
        if self.shape is None:
            shapes = bodies[self.b].shapes
            if len(shapes) != 1:
                raise self._wrong(
                    f"shape is left out, and body '{self.b}' has {len(shapes)} shapes.",
                    f"Give the shape that touches, a {ALLOWED}; several touch by several contacts.",
                )
            where = f"{self.where}, body '{self.b}'"
            changes["shape"] = checked_touching(shapes[0], "shape", where, InvalidForce)
        return replace(self, **changes) if changes else self

    def _check_surface(self) -> None:
        """The plane or ball of a."""
        if self.at is None and (self.radius is None or self.a == GROUND.name):
            raise self._wrong(
                f"at is left out, so nothing says where '{self.a}' is touched.",
                "Give at=(x, y, z), a point of the plane or the centre of the ball; only a ball"
                " about a body's centre of mass needs none.",
            )
        if self.radius is None:
            fill(self, axis=self.axis or Z)
        elif abs(self.radius) < LEAST:
            raise self._wrong(
                f"radius must not be 0, got {self.radius:g} m.",
                "Give the radius of a's ball in m, negative if b is inside of it.",
            )
        elif self.axis is not None:
            raise self._wrong(
                f"there is a radius of {self.radius:g} m and an axis, but a ball has no normal.",
                "Give radius= for a ball, or axis= for a plane.",
            )
