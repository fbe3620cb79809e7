"""Configuration spaces: what a body's pose and velocity are measured in."""

from chasles.spaces.designate import resolve_spaces
from chasles.spaces.space import SE3, SO3xR3, Space

__all__ = ["SE3", "SO3xR3", "Space", "resolve_spaces"]
