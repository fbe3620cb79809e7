"""Configuration spaces: what a body's pose and velocity are measured in, and which to choose."""

from chasles.spaces.designate import designate, resolve_spaces
from chasles.spaces.designation import Designation
from chasles.spaces.space import SE3, SO3xR3, Space

__all__ = ["SE3", "Designation", "SO3xR3", "Space", "designate", "resolve_spaces"]
