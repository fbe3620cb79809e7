"""A model as dense equations: Newton and Euler for every body, and multipliers for all rows.

    M X = Q - J^T l,    J X + bias = 0

in one symmetric matrix.  Where rows repeat each other, least squares take the least multipliers.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from oracle.bodies import SPIN, TURN, WIDTH, Bodies, Start, quaternion_of, quaternion_rate
from oracle.coordinates import all_coordinates
from oracle.jets import Floats, cross
from oracle.laws import Instant, generalised
from oracle.rows import Ends, Row, driver_rows, joint_rows
from scipy.integrate import solve_ivp

import chasles as ch

DEPENDENT = 1e-9  # singular values below this fraction of the greatest: rows repeat each other
MOST_RATES = 20_000  # of a motion: a tenth of a second takes hundreds, and a stiff one a thousand


class NoMotion(Exception):
    """Accelerations grow without bound: the mechanism comes to a singular pose."""


class Mechanism:
    """The equations of a model; a state is that of `Bodies` with the angles of hinges behind."""

    def __init__(self, model: ch.Model) -> None:
        self.model, self.start = model, Start(model)
        self.count = len(model.bodies)
        self.ends = [Ends(joint, self.start) for joint in model.joints]
        self.coordinates = all_coordinates(model, self.start)
        self.angles = [key for key, found in self.coordinates.items() if found.is_angle]
        self.held: dict[str, float] = {}  # what a controller gave

    # --- states ---

    def entered(self) -> Floats:
        """The state that the user entered; velocities left out are zero."""
        rows = np.zeros((self.count, WIDTH))
        for row, body in zip(rows, self.model.bodies):
            row[:TURN] = body.position
            row[TURN : TURN + 4] = quaternion_of(np.array(body.rotation))
            row[TURN + 4 : SPIN] = body.velocity or (0.0, 0.0, 0.0)
            row[SPIN:] = np.array(body.rotation) @ (body.angular_velocity or (0.0, 0.0, 0.0))
        return np.append(rows.ravel(), [self.coordinates[key].zero for key in self.angles])

    def state_of(self, state: ch.State, angles: dict[Any, float] | None = None) -> Floats:
        """That of a state of chasles, whose bodies are in the order of the model."""
        rows = np.zeros((self.count, WIDTH))
        for k, row in enumerate(rows):
            row[:TURN], row[TURN : TURN + 4] = state.position[k], quaternion_of(state.rotation[k])
            row[TURN + 4 : SPIN] = state.velocity[k]
            row[SPIN:] = state.rotation[k] @ state.angular_velocity[k]
        known = angles or {}
        return np.append(rows.ravel(), [known.get(key, 0.0) for key in self.angles])

    def bodies_at(self, state: Floats) -> Bodies:
        return Bodies(state, self.count)

    def angles_at(self, state: Floats) -> dict[Any, float]:
        return dict(zip(self.angles, state[WIDTH * self.count :].tolist()))

    # --- equations ---

    def rows(self, t: float, state: Floats) -> list[Row]:
        bodies, angles = self.bodies_at(state), self.angles_at(state)
        found = [row for ends in self.ends for row in joint_rows(ends, bodies)]
        for driver in self.model.drivers:
            found += driver_rows(driver, t, bodies, self.start, self.coordinates, angles)
        return found

    def mass(self, bodies: Bodies) -> tuple[Floats, Floats]:
        """M of bodies and rotors, and the forces that their motion alone takes."""
        mass, bias = self.mass_of_bodies(bodies)
        for joint in self.model.joints:
            for rotor, slope, along in self.rotors(joint, bodies):
                mass += rotor * np.outer(slope, slope)
                bias += rotor * along * slope
        return mass, bias

    def mass_of_bodies(self, bodies: Bodies) -> tuple[Floats, Floats]:
        """The same without rotors."""
        mass, bias = np.zeros((bodies.width, bodies.width)), np.zeros(bodies.width)
        for k, body in enumerate(self.model.bodies):
            inertia = bodies.rotation[k] @ np.array(body.inertia) @ bodies.rotation[k].T
            mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = body.mass * np.eye(3)
            mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = inertia
            bias[6 * k + 3 : 6 * k + 6] = cross(bodies.omega[k], inertia @ bodies.omega[k])
        return mass, bias

    def rotors(self, joint: ch.Joint, bodies: Bodies) -> list[tuple[float, Floats, float]]:
        """Inertia, slope and bias of every coordinate that a rotor turns with.

        A ball has three: the relative angular velocity along axes that turn with a.
        """
        if not joint.rotors:
            return []
        if joint.coordinates:
            jets = [self.coordinates[joint.name, w].at(bodies, {}) for w in joint.coordinates]
            return [(rotor, q.slope, q.bias) for rotor, q in zip(joint.rotors, jets)]
        a, b = self.start.index[joint.a], self.start.index[joint.b]
        slope = bodies.spin(b) - bodies.spin(a)
        bias = -cross(bodies.twist(a)[1], slope @ bodies.velocities)
        return [(joint.rotors[0], slope[k], bias[k]) for k in range(3)]

    def applied(self, t: float, state: Floats) -> dict[str, Floats]:
        """What gravity and every force add to Q, by name."""
        bodies, angles = self.bodies_at(state), self.angles_at(state)
        now = Instant(t, bodies, self.start, self.held)
        found = {
            force.name: generalised(force, now, self.coordinates, angles)
            for force in self.model.forces
        }
        weight = np.zeros((self.count, 6))
        weight[:, :3] = np.outer([b.mass for b in self.model.bodies], self.model.gravity)
        return {"gravity": weight.ravel(), **found}

    def solved(self, t: float, state: Floats) -> tuple[Floats, Floats, list[Row]]:
        """Accelerations (a, alpha) of all bodies, multipliers, and their rows."""
        bodies, rows = self.bodies_at(state), self.rows(t, state)
        mass, bias = self.mass(bodies)
        right = sum(self.applied(t, state).values()) - bias
        if not rows:
            return np.linalg.solve(mass, right), np.zeros(0), rows
        slope = np.array([row.slope for row in rows])
        matrix = np.block([[mass, slope.T], [slope, np.zeros((len(rows), len(rows)))]])
        right = np.append(right, [-row.bias for row in rows])
        if self.independent is None:
            self.independent = rank_of(slope) == len(rows)
        if self.independent:
            found = np.linalg.solve(matrix, right)
        else:
            found = np.linalg.lstsq(matrix, right, rcond=DEPENDENT * 1e-2)[0]
        return found[: bodies.width], found[bodies.width :], rows

    independent: bool | None = None  # whether no row repeats others; found at the first state

    def rate(self, t: float, state: Floats) -> Floats:
        """The derivative of a state."""
        bodies, (found, _, _) = self.bodies_at(state), self.solved(t, state)
        rates = np.zeros((self.count, WIDTH))
        rates[:, :TURN] = bodies.v
        rates[:, TURN + 4 :] = found.reshape(self.count, 6)
        for k in range(self.count):
            rates[k, TURN : TURN + 4] = quaternion_rate(bodies.quaternion[k], bodies.omega[k])
        turning = [self.coordinates[key].at(bodies, {}).rate for key in self.angles]
        return np.append(rates.ravel(), turning)

    # --- motions ---

    def motion(self, until: float, state: Floats | None = None, since: float = 0.0) -> Floats:
        """The state at `until`."""
        start = self.entered() if state is None else state
        asked = count(1)

        def rate(t: float, state: Floats) -> Floats:
            if next(asked) > MOST_RATES:
                raise NoMotion(f"steps without end at {t} s")
            return self.rate(t, state)

        run = solve_ivp(rate, (since, until), start, method="DOP853", rtol=1e-12, atol=1e-13)
        if not run.success:
            raise NoMotion(run.message)
        return run.y[:, -1]

    def sampled(
        self, until: float, controller: Callable[..., dict[str, float]], sample: float
    ) -> Floats:
        """The state at `until` where a controller is asked every `sample` seconds."""
        state = self.entered()
        for k in range(round(until / sample)):
            self.held = controller(k * sample, Seen(self, state))
            state = self.motion((k + 1) * sample, state, k * sample)
        return state


class Seen:
    """What a controller may ask of a state."""

    def __init__(self, mechanism: Mechanism, state: Floats) -> None:
        self.mechanism, self.bodies = mechanism, mechanism.bodies_at(state)
        self.angles = mechanism.angles_at(state)

    def coordinate(self, joint: str) -> float:
        word = self.mechanism.model.joint(joint).coordinates[0]
        return float(self.mechanism.coordinates[joint, word].at(self.bodies, self.angles).value)

    def rate(self, joint: str) -> float:
        word = self.mechanism.model.joint(joint).coordinates[0]
        return float(self.mechanism.coordinates[joint, word].at(self.bodies, self.angles).rate)


def rank_of(slope: Floats) -> int:
    """Of rows, each of length one."""
    rows = slope / np.linalg.norm(slope, axis=1, keepdims=True)
    values = np.linalg.svd(rows, compute_uv=False)
    return int((values > DEPENDENT * values[0]).sum())
