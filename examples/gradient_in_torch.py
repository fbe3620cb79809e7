"""A run as a function of PyTorch whose `backward` is `ch.gradient` (pip install torch).

A pendulum is thrown, and an optimiser finds the speed that takes it to a height in half a second.
"""

from typing import Any

import torch

import chasles as ch


class Height(torch.autograd.Function):
    """Of the end of a run, m, from its first angular velocity, rad/s."""

    @staticmethod
    def forward(ctx: Any, spin: torch.Tensor) -> torch.Tensor:
        turning = spin.detach().numpy()
        rod = ch.Body.rod("rod", 1.0, mass=1.0, position=(0.5, 0, 0), angular_velocity=turning)
        model = ch.Model([rod], [ch.Spherical("pivot", ch.GROUND, rod, at=(0, 0, 0))])
        fields = ["rod.angular_velocity"]
        found = ch.gradient(model, lambda run: run.position("rod")[-1, 2], fields, 0.5, 1e-3)
        ctx.save_for_backward(torch.from_numpy(found["rod.angular_velocity"]))
        return spin.new_tensor(found.value)

    @staticmethod
    def backward(ctx: Any, weight: torch.Tensor) -> torch.Tensor:
        return weight * ctx.saved_tensors[0]


def miss(speed: torch.Tensor) -> torch.Tensor:
    return (Height.apply(torch.stack([0.3 * speed, -speed, torch.sin(speed)])) - 0.2) ** 2


speed = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(miss, (speed,))  # against differences
optimiser = torch.optim.LBFGS([speed], tolerance_grad=1e-12, line_search_fn="strong_wolfe")


def closure() -> torch.Tensor:
    optimiser.zero_grad()
    value = miss(speed)
    value.backward()
    return value


optimiser.step(closure)
print(f"{speed.item():.6f} rad/s misses by {miss(speed).item() ** 0.5:.1e} m")
assert miss(speed).item() < 1e-12
