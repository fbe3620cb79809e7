"""Poses and twists as 4 x 4 matrices, written down once more for the tests."""

import numpy as np


def hat(twist):
    """The matrix of a twist (angular, linear): the slope of a pose that moves with it."""
    wx, wy, wz, *v = twist
    return np.array([[0, -wz, wy, v[0]], [wz, 0, -wx, v[1]], [-wy, wx, 0, v[2]], [0, 0, 0, 0]])


def pose_matrix(rotation, position):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return matrix
