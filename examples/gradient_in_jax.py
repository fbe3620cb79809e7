"""A run as a function of JAX that `jax.grad` and `jax.jit` go through (pip install jax).

A pendulum is thrown, and JAX finds the speed that takes it to a height after half a second.
Whatever stands before and behind the run is JAX's own; the run brings its gradient along.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.test_util import check_grads

import chasles as ch

jax.config.update("jax_enable_x64", True)
FIELDS = ["rod.angular_velocity"]
NUMBER, VECTOR = (jax.ShapeDtypeStruct(shape, float) for shape in ((), (3,)))


def height_and_slope(spin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the end of a run, from its first angular velocity (rad/s)."""
    rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=np.array(spin))
    model = ch.Model([rod], [ch.Spherical("pivot", ch.GROUND, rod, at=(0, 0, 0))])
    found = ch.gradient(model, lambda run: run.position("rod")[-1, 2], FIELDS, 0.5, 1e-3)
    return np.array(found.value), found["rod.angular_velocity"]


@jax.custom_vjp
def height(spin: jax.Array) -> jax.Array:
    return jax.pure_callback(lambda x: height_and_slope(x)[0], NUMBER, spin)


def forward(spin: jax.Array) -> tuple[jax.Array, jax.Array]:
    return jax.pure_callback(height_and_slope, (NUMBER, VECTOR), spin)


height.defvjp(forward, lambda slope, weight: (weight * slope,))


def miss(speed: jax.Array) -> jax.Array:
    return (height(jnp.stack([0.3 * speed, -speed, jnp.sin(speed)])) - 0.2) ** 2


speed, with_slope = jnp.array(2.0), jax.jit(jax.value_and_grad(miss))
check_grads(miss, (speed,), order=1, modes=["rev"])  # against differences
for _ in range(6):
    value, slope = with_slope(speed)
    speed -= 2 * value / slope  # Newton's step for the root of it, which has a simple zero
print(f"{speed:.6f} rad/s misses by {jnp.sqrt(value):.1e} m")
assert value < 1e-12
