"""States of a tree from absolute poses and twists, pair by pair."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from chasles.build.system.build_tree import words_of
from chasles.compiled.lending import record_of
from chasles.core.arrays import ABSOLUTE_WIDTH, TWIST, Floats
from chasles.core.recursion.inverse_kinematics import tree_states
from chasles.core.recursion.kinematics import tree_absolute
from chasles.core.recursion.tree import Tree, TreeWorkspace, place_in_pair, rows_in_lines
from chasles.model import Joint
from chasles.model.coordinates import ANGLE, DISPLACEMENT

#: What may be known of a pair beside poses.
WORDS = ANGLE, DISPLACEMENT


def state_of(tree: Tree, absolute: Floats) -> Floats:
    """The state (q + v,) of absolute rows (n, 18): the inverse of `place`."""
    found: Floats = states_of(tree, absolute[None])[0]
    return found


def states_of(
    tree: Tree, absolute: Floats, known: Mapping[tuple[int, str], Any] | None = None
) -> Floats:
    """The same for many states at once: (T, q + v) of (T, n, 18).

    `known` has angles and displacements by body and word (see `tree_states`), numbers or (T,).
    """
    given = np.full((len(absolute), tree.body_count, 2), np.nan)
    for (body, word), values in (known or {}).items():
        given[:, body, WORDS.index(word)] = values
    states = np.zeros((len(absolute), tree.stored_count + tree.rate_count))
    tree_states(tree, rows_in_lines(tree.body_count), np.ascontiguousarray(absolute), given, states)
    return states


def absolute_of(tree: Any, tree_work: Any, states: Floats) -> Floats:
    """Absolute rows (T, n, 18) of states (T, q + v); `tree_work` is scratch.

    Whoever asks often gives both records as they were lent to kernels.
    """
    out = np.zeros((len(states), record_of(tree).body_count, ABSOLUTE_WIDTH))
    tree_absolute(tree, tree_work, np.ascontiguousarray(states), out)
    return out


def unit_twists(
    tree: Tree, tree_work: TreeWorkspace, state: Floats, first: int = 0, end: int | None = None
) -> Floats:
    """(k, n, 6) The twists of all bodies at the pose of a state, one velocity after the other.

    From `first` to before `end`.
    """
    unit = np.eye(tree.rate_count)[first:end]
    states = np.tile(state, (len(unit), 1))
    states[:, tree.stored_count :] = unit
    return absolute_of(tree, tree_work, states)[:, :, TWIST : TWIST + 6]


def place_of(tree: Tree, body: int, joint: Joint, word: str) -> tuple[int, int]:
    """Where a coordinate of the joint that carries a body is stored, and which velocity it has."""
    slot = words_of(joint).index(word)
    at = int(tree.stored_at[body]) + place_in_pair(int(tree.pair[body]), slot)
    return at, int(tree.rate_at[body]) + slot
