"""What a mechanism is, in words and SI units: frozen, validated, no numerics."""

from chasles.model.body import GROUND, Body, Ground, name_of
from chasles.model.checks import Matrix3, Vector3
from chasles.model.compound import compound
from chasles.model.contact import Contact
from chasles.model.coordinate_coupling import Coupling
from chasles.model.coordinates import coordinate_of, coordinates_of
from chasles.model.couplings import (
    Cartesian,
    ConstantVelocity,
    Distance,
    Gear,
    PointOnLine,
    PointOnPlane,
    RowJoint,
    Universal,
)
from chasles.model.custom import CustomJoint
from chasles.model.custom_coupling import CustomCoupling
from chasles.model.custom_force import CustomForce
from chasles.model.drivers import AnyDriver, Driver, PointDriver
from chasles.model.errors import (
    ChaslesError,
    ChaslesWarning,
    InconsistentStart,
    InvalidBody,
    InvalidDriver,
    InvalidFile,
    InvalidForce,
    InvalidJoint,
    InvalidModel,
    InvalidOption,
    InvalidSensor,
    InvalidSignal,
    NoEquilibrium,
    RedundantConstraints,
    SimulationStopped,
    UnknownName,
)
from chasles.model.forces import Bushing, Force, Spring
from chasles.model.joint_forces import (
    JointForce,
    JointFriction,
    JointSpring,
    JointStop,
    TorsionSpring,
)
from chasles.model.joint_law import JointLaw
from chasles.model.joints import (
    Cylindrical,
    Fixed,
    Helical,
    Joint,
    LowerPair,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from chasles.model.loads import Drag, Load
from chasles.model.mesh import Mesh
from chasles.model.model import Model
from chasles.model.motors import Feedback, Motor, Servo, input_of
from chasles.model.rolling import RollingDisc, RollingSphere
from chasles.model.sensors import AnySensor, ForceSensor, JointSensor, Sensor
from chasles.model.shapes import Box, Capsule, Cone, Cylinder, Ring, Rod, Shape, Sphere
from chasles.model.signals import Signal

__all__ = [
    "GROUND",
    "AnyDriver",
    "AnySensor",
    "Body",
    "Box",
    "Bushing",
    "Capsule",
    "Cartesian",
    "ChaslesError",
    "ChaslesWarning",
    "Cone",
    "ConstantVelocity",
    "Contact",
    "Coupling",
    "CustomCoupling",
    "CustomForce",
    "CustomJoint",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Drag",
    "Driver",
    "Feedback",
    "Fixed",
    "Force",
    "ForceSensor",
    "Gear",
    "Ground",
    "Helical",
    "InconsistentStart",
    "InvalidBody",
    "InvalidDriver",
    "InvalidFile",
    "InvalidForce",
    "InvalidJoint",
    "InvalidModel",
    "InvalidOption",
    "InvalidSensor",
    "InvalidSignal",
    "Joint",
    "JointForce",
    "JointFriction",
    "JointLaw",
    "JointSensor",
    "JointSpring",
    "JointStop",
    "Load",
    "LowerPair",
    "Matrix3",
    "Mesh",
    "Model",
    "Motor",
    "NoEquilibrium",
    "Planar",
    "PointDriver",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "RedundantConstraints",
    "Revolute",
    "Ring",
    "Rod",
    "RollingDisc",
    "RollingSphere",
    "RowJoint",
    "Sensor",
    "Servo",
    "Shape",
    "Signal",
    "SimulationStopped",
    "Sphere",
    "Spherical",
    "Spring",
    "TorsionSpring",
    "Universal",
    "UnknownName",
    "Vector3",
    "compound",
    "coordinate_of",
    "coordinates_of",
    "input_of",
    "name_of",
]
