"""A designation: the space of every body with its reason, and what becomes of every joint."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from chasles.model import Body, InvalidOption, Joint, Model
from chasles.model.checks import in_brackets
from chasles.model.keywords import documented
from chasles.model.tables import Shown, Table
from chasles.model.words import Word
from chasles.spaces.certificate import Certificate, certify
from chasles.spaces.exactness import Charts, Prediction
from chasles.spaces.space import Space
from chasles.spaces.subgroups import MotionGroup

#: Tables of larger models are shown up to here.
LISTED_ROWS = 40


@dataclass(frozen=True)
class Row:
    """The space of one body.

    Attributes
    ----------
    body
        Name of the body.
    space
        Its configuration space.
    joint
        The parent joint, if it stays closed in this space. Otherwise None.
    group
        Motion group of the body: the motions that its joints allow, taken one by one.
    reason
        Why this space was chosen, in one line.
    """

    body: str
    space: Space
    joint: str | None
    group: MotionGroup
    reason: str

    @property
    def frame(self) -> str:
        """Where the frame point is, in words."""
        if self.space.group == "SE3":
            return "any"
        at = self.space.at
        if at is None:
            return "centre of mass"
        return f"joint '{at}'" if isinstance(at, str) else in_brackets(at)

    @property
    def reference(self) -> str:
        """The body relative to which its pose is taken, or "ground"."""
        return self.space.relative_to or "ground"

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the printed table."""
        kept, group = self.joint or "-", self.space.group
        return self.body, group, self.frame, self.reference, kept, self.group.name, self.reason


@dataclass(frozen=True, repr=False)
class Designation(Shown):
    """A configuration space for every body, explained.

    Pass it to `simulate` as `spaces`, or print it.

    Attributes
    ----------
    model
        The model.
    rows
        One row for each body, in the order of the model.
    cut
        Loop-closing joints (cut joints). They are constraints and drift.
    predictions
        One for each joint: whether it stays closed, exact to round-off, and why.
    notes
        Joints that drift because of your choices, and how couplings are treated.
    by_hand
        Bodies whose spaces you chose.
    wanted
        Joints at which you chose to cut loops.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=1.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> model = ch.Model([arm], [hinge])
    >>> found = ch.designate(model)
    >>> found.spaces["arm"].group, found.exact
    ('subgroup', ('hinge',))
    """

    model: Model
    rows: tuple[Row, ...]
    cut: tuple[str, ...]
    predictions: tuple[Prediction, ...]
    notes: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()

    @property
    def spaces(self) -> dict[str, Space]:
        """Body -> its configuration space."""
        return {row.body: row.space for row in self.rows}

    @property
    def exact(self) -> tuple[str, ...]:
        """Joints that stay closed, exact to round-off."""
        return tuple(p.joint for p in self.predictions if p.exact)

    @property
    def drifting(self) -> tuple[str, ...]:
        """Joints that drift with the error of the method."""
        return tuple(p.joint for p in self.predictions if not p.exact)

    @documented("Certificate: The argument. Print it")
    def certificate(self, joint: Joint | str) -> Certificate:
        """Why a joint stays closed in these spaces, or which Lie bracket prevents it."""
        name = getattr(joint, "name", joint)
        if name in [coupling.name for coupling in self.model.couplings]:
            raise InvalidOption(
                f"certificate: '{name}' is a coupling, which is not kept by a space.",
                f"Its constraint violation is result.violation('{name}').",
            )
        found = self.model.joint(joint)
        return certify(Charts.of(self.model, self.spaces, self.wanted), found)

    def as_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "bodies": [
                {
                    "body": row.body,
                    "group": row.space.group,
                    "frame": row.space.at,
                    "relative_to": row.space.relative_to,
                    "joint": row.joint,
                    "motion": row.group.name,
                    "freedom": row.group.dimension,
                    "reason": row.reason,
                }
                for row in self.rows
            ],
            "joints": [
                {
                    "joint": p.joint,
                    "exact": p.exact,
                    "rows": list(p.rows),
                    "cut": p.joint in self.cut,
                    "reason": p.reason,
                }
                for p in self.predictions
            ],
            "cut": list(self.cut),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return (
            f"Designation({len(self.rows)} bodies, {len(self.exact)} joints exact,"
            f" {len(self.drifting)} drifting)"
        )

    def _parts(self) -> list[str | Table]:
        head = "body", "space", "frame point", "relative to", "keeps joint", "moves in", "why"
        parts = shortened(Table(head, [row.cells for row in self.rows], len(head)))
        if self.predictions:
            cut = [p.joint + (" (cut)" if p.joint in self.cut else "") for p in self.predictions]
            rows = [(name, p.outlook, p.reason) for name, p in zip(cut, self.predictions)]
            parts += shortened(Table(("joint", "prediction", "why"), rows, 3))
        return [*parts, self.verdict(), *self.notes]

    def verdict(self) -> str:
        """What to expect of a run, in a sentence or two."""
        if not self.predictions:
            return "No joints."
        if not self.drifting:
            return f"{'Every' if len(self.exact) > 1 else 'The'} joint holds to round-off."
        names = ", ".join(f"'{name}'" for name in self.drifting[:LISTED_ROWS])
        closing = " (stabilise='projection' closes them after every step)"
        held = f"{len(self.exact)} of {len(self.predictions)} joints hold to round-off; "
        return f"{held}with the method's error drift: {names}{closing}."


#: What `spaces` may be: a name or a space for all bodies, or one for each body that is named.
if TYPE_CHECKING:
    Spaces: TypeAlias = (
        str | Space | Designation | Mapping[str, str | Space] | Mapping[Body, str | Space]
    )
else:
    Spaces = Word("Spaces")


def shortened(table: Table) -> list[str | Table]:
    """A table, a long one cut short, and an empty line."""
    more = len(table.rows) - LISTED_ROWS
    cut = replace(table, rows=table.rows[:LISTED_ROWS])
    return [cut, *([f"... and {more} more"] if more > 0 else []), ""]
