"""Every error chasles raises on purpose: what, where, by how much, and what to do."""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any

LISTED_NAMES = 12
LONGEST_TOLD = 200


def short_repr(value: object) -> str:
    """A value in a message, on one line: whole if short, else its beginning."""
    try:
        text = repr(value).replace("\n", " ")
    except Exception:  # the user's own code, which may do anything
        text = f"an object of class {type(value).__name__} that cannot be printed"
    return text if len(text) <= LONGEST_TOLD else text[:LONGEST_TOLD] + " ..."


def one_line(error: Exception) -> str:
    """What another library or the user's own code said, on one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # the user's own class, which may do anything
        text = "a message that cannot be printed"
    return text[:LONGEST_TOLD] or "no message"


def quoted(names: Sequence[str], most: int) -> str:
    """Some of many names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"'{name}'" for name in names[:most]) + more


class ChaslesError(Exception):
    """Base of all errors of this package.

    Attributes
    ----------
    what
        What is wrong: the thing, its value and the rule.
    remedy
        What to do. It is printed on its own, indented line.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Body.rod("arm", length=1.0, mass=-1.0)
    ... except ch.ChaslesError as error:
    ...     print(error)
    body 'arm': mass must be positive, got -1 kg.
      Give mass greater than zero, in kg.
    """

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  {self.remedy}" if self.remedy else self.what


class ChaslesWarning(UserWarning):
    """A run continued, or ended, with a result that may be wrong; see `result.warnings`.

    Examples
    --------
    >>> import warnings
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     run = ch.simulate(ch.Model([arm], [hinge]), until=5.0, step=0.5, method="euler")
    >>> caught[0].category is ch.ChaslesWarning and len(run.warnings) > 0
    True
    """


class InvalidBody(ChaslesError):
    """A body that cannot exist: its mass, inertia, size or pose breaks a rule of mechanics.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Body.rod("arm", length=1.0, mass=-1.0)
    ... except ch.InvalidBody as error:
    ...     print(error)
    body 'arm': mass must be positive, got -1 kg.
      Give mass greater than zero, in kg.
    """


class InvalidJoint(ChaslesError):
    """A joint that cannot exist: a missing axis, a body joined to itself, a pitch of zero.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Revolute("hinge", ch.GROUND, "arm", at=(0, 0, 0), axis=(0, 0, 0))
    ... except ch.InvalidJoint as error:
    ...     print(error)
    joint 'hinge': axis is (0, 0, 0), which points nowhere.
      Give a direction in world coordinates, of any length but zero.
    """


class InvalidForce(ChaslesError):
    """A force that cannot exist: a spring of no length, a negative damping, no direction.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.JointSpring("spring", "hinge", stiffness=-1.0)
    ... except ch.InvalidForce as error:
    ...     print(error)
    force 'spring': stiffness must not be negative, got -1 N m/rad or N/m.
      Give stiffness of zero or more, in N m/rad or N/m.
    """


class InvalidDriver(ChaslesError):
    """A driver that cannot drive: a motion that jumps at the start, say.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Driver("crank", "bearing", 2.0)
    ... except ch.InvalidDriver as error:
    ...     print(error)
    driver 'crank': motion must be a function of time, got 2.0.
      Give a Signal or a function of t; a constant speed is Signal.linear(speed).
    """


class InvalidCoupling(InvalidJoint, InvalidDriver):
    """A coupling that cannot exist: of one coordinate alone, or with a coefficient of 0.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Coupling("mesh", {"sun": 20})
    ... except ch.InvalidCoupling as error:
    ...     print(error)
    coupling 'mesh': terms must name two coordinates or more, got 1.
      A coordinate that is alone is held by a Driver, or by another joint.
    """


class InvalidSensor(ChaslesError):
    """A sensor that cannot read: of something that is not there, or that the part has not.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Sensor("tip", ch.GROUND)
    ... except ch.InvalidSensor as error:
    ...     print(error.what)
    sensor 'tip': body is the ground, which does not move.
    """


class InvalidSignal(ChaslesError):
    """A function of time that is none: it raises, or gives NaN or the wrong shape.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.Signal.table([0, 1, 1], [0, 2, 3])
    ... except ch.InvalidSignal as error:
    ...     print(error)
    signal: t[2] = 1 s does not come after t[1] = 1 s.
      Give the times in increasing order, each one once.
    """


class InvalidModel(ChaslesError):
    """Bodies and joints that do not make a model together.

    Examples
    --------
    >>> import chasles as ch
    >>> ball = ch.Body.sphere("ball", radius=0.1, mass=1.0)
    >>> try:
    ...     ch.Model([ball, ball])
    ... except ch.InvalidModel as error:
    ...     print(error)
    bodies[0] and bodies[1] are both named 'ball'.
      Give every one its own name; results are looked up by it.
    """


class InvalidOption(ChaslesError):
    """An option of a simulation or study that makes no sense: a negative step, say.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> try:
    ...     ch.simulate(model, until=1.0, step=-1e-3)
    ... except ch.InvalidOption as error:
    ...     print(error)
    simulate: step must be positive, got -0.001 s.
      Give step greater than zero, in s.
    """


class InvalidFile(ChaslesError):
    """A file that cannot be written, or that holds no result, or only part of one.

    Examples
    --------
    >>> import chasles as ch
    >>> try:
    ...     ch.load("no such file.nc")
    ... except ch.InvalidFile as error:
    ...     print(error)
    there is no file 'no such file.nc'.
      Check the name and the folder.
    """


class InconsistentStart(ChaslesError):
    """The initial positions or velocities do not satisfy the joints.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0), velocity=(1, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> try:
    ...     ch.simulate(model, until=1.0, step=1e-3)
    ... except ch.InconsistentStart as error:
    ...     print(error.what)
    the initial velocities of 'ground' and 'arm' violate joint 'hinge' by 1 m/s.
    """


class RedundantConstraints(ChaslesError):
    """Some joint rows repeat what others already say, so reactions are not unique.

    Examples
    --------
    >>> import chasles as ch
    >>> door = ch.Body.box("door", size=(1, 0.1, 2), mass=9.0, position=(0.5, 0, 0))
    >>> low = ch.Revolute("low", ch.GROUND, door, at=(0, 0, 0), axis="z")
    >>> top = ch.Revolute("top", ch.GROUND, door, at=(0, 0, 1), axis="z")
    >>> try:
    ...     ch.simulate(ch.Model([door], [low, top]), until=1.0, step=1e-3, redundant="refuse")
    ... except ch.RedundantConstraints as error:
    ...     print(error.what.split(" (")[0])
    joints 'low', 'top': 5 of the 10 constraint rows are redundant
    """


class NoEquilibrium(ChaslesError):
    """No configuration was found in which all forces are balanced.

    Attributes
    ----------
    residual
        Largest unbalanced force, N, and torque, N m, of the best configuration that was found.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> try:
    ...     ch.equilibrium(model)
    ... except ch.NoEquilibrium as error:
    ...     print(error.what.split(": ")[0])
    body 'ball' runs away along (0, 0, -1)
    """

    def __init__(self, what: str, remedy: str = "", residual: Any = None) -> None:
        super().__init__(what, remedy)
        self.residual = residual


#: What other programs call what has another name here, in lower case: what it is here -> there.
CALLED = {
    "step": "dt, h, timestep, time_step, step_size, stepsize",
    "until": "t_end, tend, t_final, tf, t_max, tmax, end_time, duration, t_span, tspan, stop_time",
    "method": "integrator, solver, scheme",
    "options": "method, spaces, stabilise, rtol, atol, tol, save_every, t_eval, start, events,"
    " controller, sample, close, hold, singular, redundant",
    "rtol": "reltol, rel_tol",
    "atol": "abstol, abs_tol",
    "t_eval": "saveat, times, t_out",
    "progress": "verbose, quiet, disp",
    "path": "filename, file, fname",
    "colour, shape": "color, rgb",
    "dopri5, scipy rk45": "rk45, ode45, dopri, dormand-prince",
    "bs3, scipy rk23": "rk23, ode23, bogacki-shampine",
    "scipy lsoda": "ode113, lsoda",
    "scipy bdf, bliedf3": "ode15s, bdf",
    "rk4": "runge-kutta, rk, runge kutta",
    "linearly-implicit": "rosenbrock, implicit-euler, implicit",
    "rattlie": "symplectic, verlet, rattle",
    "revolute": "hinge",
    "spherical": "ball",
    "prismatic": "slider, slide",
    "ground": "world, base, fixed, map, earth",
    "stiffness": "k, spring_constant, kp, p_gain",
    "damping": "c, d, kd, d_gain, damping_constant",
    "effort": "torque, tau",
    "gravity": "g",
    "angular_velocity": "omega, w",
    "radius, position": "r",
    "at": "position, point, anchor",
    "position": "pos, xyz",
    "rotation": "orientation, rot",
    "friction": "mu, friction_coefficient",
    "dissipation": "restitution, coefficient_of_restitution, bounce, damping",
}
ELSEWHERE: dict[str, tuple[str, ...]] = {}
for _here, _there in CALLED.items():
    for _other in _there.split(", "):
        ELSEWHERE[_other] = (*ELSEWHERE.get(_other, ()), *_here.split(", "))
RESTITUTION = (
    "  dissipation=1.5 * (1 - e) / (e * v), in s/m, gives about the coefficient of restitution e"
    " in impacts at the speed v; rigid ends of joints take one: Impact(..., restitution=e)."
)
#: How to get what is asked for by a name from elsewhere, where another name alone does not say it.
HOW = dict.fromkeys(("restitution", "coefficient_of_restitution", "bounce"), RESTITUTION)


class UnknownName(ChaslesError):
    """A name that is not known.

    Examples
    --------
    >>> import chasles as ch
    >>> model = ch.Model([ch.Body.sphere("ball", radius=0.1, mass=1.0)])
    >>> try:
    ...     model.body("bal")
    ... except ch.UnknownName as error:
    ...     print(error)
    there is no body 'bal'.
      Did you mean 'ball'?  Known: 'ball'.
    """

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str], where: str = "") -> "UnknownName":
        """No `kind` is called `name`: suggest the closest of the `known` names.

        Examples
        --------
        >>> print(UnknownName.among("body", "rodd", ["rod", "top"], where="joint 'elbow'"))
        joint 'elbow': there is no body 'rodd'.
          Did you mean 'rod'?  Known: 'rod', 'top'.
        """
        names = list(known)
        by_lower = {n.lower(): n for n in names}
        word = (name if isinstance(name, str) else short_repr(name)).lower()
        bare = word.lstrip("-")  # of an option of a command
        dashes = word[: len(word) - len(bare)]
        close = [dashes + n for n in ELSEWHERE.get(bare, ()) if dashes + n in by_lower]
        close = close or get_close_matches(word, by_lower, n=1)
        meant = " or ".join(f"'{by_lower[n]}'" for n in close)
        hint = f"Did you mean {meant}?  " if close else ""
        prefix = f"{where}: " if where else ""
        return cls(
            f"{prefix}there is no {kind} {short_repr(name)}.",
            f"{hint}Known: {quoted(names, LISTED_NAMES) or 'none'}."
            f"{HOW.get(word, '') if close else ''}",
        )

    @classmethod
    def check(cls, kind: str, name: Any, known: Collection[Any], where: str = "") -> str:
        """The name, if it is one of the `known`."""
        if not isinstance(name, str) or name not in known:
            raise cls.among(kind, name, known, where)
        return name


class SimulationStopped(ChaslesError):
    """A run that could not continue.

    Attributes
    ----------
    result
        The Result up to the last valid state.

    Examples
    --------
    >>> import warnings
    >>> import chasles as ch
    >>> ball = ch.Body.sphere("ball", radius=0.1, mass=1.0, velocity=(100, 0, 0))
    >>> model = ch.Model([ball], forces=[ch.Drag("air", ball, quadratic=1.0)])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     try:
    ...         ch.simulate(model, until=100.0, step=1.0, method="euler")
    ...     except ch.SimulationStopped as stopped:
    ...         print(stopped.result.status, len(stopped.result))
    stopped 8
    """

    def __init__(self, what: str, remedy: str = "", result: Any = None) -> None:
        super().__init__(what, remedy)
        self.result = result
