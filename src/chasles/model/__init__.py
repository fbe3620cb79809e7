"""What a mechanism is, in words and SI units: frozen, validated, no numerics."""

from chasles.model.body import GROUND as GROUND
from chasles.model.body import Body as Body
from chasles.model.body import Ground as Ground
from chasles.model.body import name_of as name_of
from chasles.model.checks import Matrix3 as Matrix3
from chasles.model.checks import Vector3 as Vector3
from chasles.model.compound import compound as compound
from chasles.model.contact import Contact as Contact
from chasles.model.coordinate_coupling import Coupling as Coupling
from chasles.model.couplings import Cartesian as Cartesian
from chasles.model.couplings import ConstantVelocity as ConstantVelocity
from chasles.model.couplings import Distance as Distance
from chasles.model.couplings import Gear as Gear
from chasles.model.couplings import PointOnLine as PointOnLine
from chasles.model.couplings import PointOnPlane as PointOnPlane
from chasles.model.couplings import RowJoint as RowJoint
from chasles.model.couplings import Universal as Universal
from chasles.model.custom import CustomCoupling as CustomCoupling
from chasles.model.custom import CustomForce as CustomForce
from chasles.model.custom import CustomJoint as CustomJoint
from chasles.model.drivers import AnyDriver as AnyDriver
from chasles.model.drivers import Driver as Driver
from chasles.model.drivers import PointDriver as PointDriver
from chasles.model.errors import ChaslesError as ChaslesError
from chasles.model.errors import ChaslesWarning as ChaslesWarning
from chasles.model.errors import InconsistentStart as InconsistentStart
from chasles.model.errors import InvalidBody as InvalidBody
from chasles.model.errors import InvalidCoupling as InvalidCoupling
from chasles.model.errors import InvalidDriver as InvalidDriver
from chasles.model.errors import InvalidFile as InvalidFile
from chasles.model.errors import InvalidForce as InvalidForce
from chasles.model.errors import InvalidJoint as InvalidJoint
from chasles.model.errors import InvalidModel as InvalidModel
from chasles.model.errors import InvalidOption as InvalidOption
from chasles.model.errors import InvalidSensor as InvalidSensor
from chasles.model.errors import InvalidSignal as InvalidSignal
from chasles.model.errors import NoEquilibrium as NoEquilibrium
from chasles.model.errors import RedundantConstraints as RedundantConstraints
from chasles.model.errors import SimulationStopped as SimulationStopped
from chasles.model.errors import UnknownName as UnknownName
from chasles.model.forces import Bushing as Bushing
from chasles.model.forces import Force as Force
from chasles.model.forces import Spring as Spring
from chasles.model.joint_forces import JointForce as JointForce
from chasles.model.joint_forces import JointFriction as JointFriction
from chasles.model.joint_forces import JointLaw as JointLaw
from chasles.model.joint_forces import JointSpring as JointSpring
from chasles.model.joint_forces import JointStop as JointStop
from chasles.model.joint_forces import TorsionSpring as TorsionSpring
from chasles.model.joints import Cylindrical as Cylindrical
from chasles.model.joints import Fixed as Fixed
from chasles.model.joints import Helical as Helical
from chasles.model.joints import Joint as Joint
from chasles.model.joints import LowerPair as LowerPair
from chasles.model.joints import Planar as Planar
from chasles.model.joints import Prismatic as Prismatic
from chasles.model.joints import Revolute as Revolute
from chasles.model.joints import Spherical as Spherical
from chasles.model.loads import Drag as Drag
from chasles.model.loads import Load as Load
from chasles.model.mesh import Mesh as Mesh
from chasles.model.model import Model as Model
from chasles.model.motors import Feedback as Feedback
from chasles.model.motors import Motor as Motor
from chasles.model.motors import Servo as Servo
from chasles.model.motors import input_of as input_of
from chasles.model.rolling import RollingDisc as RollingDisc
from chasles.model.rolling import RollingSphere as RollingSphere
from chasles.model.sensors import AnySensor as AnySensor
from chasles.model.sensors import ForceSensor as ForceSensor
from chasles.model.sensors import JointSensor as JointSensor
from chasles.model.sensors import Sensor as Sensor
from chasles.model.shapes import Box as Box
from chasles.model.shapes import Capsule as Capsule
from chasles.model.shapes import Cone as Cone
from chasles.model.shapes import Cylinder as Cylinder
from chasles.model.shapes import Ring as Ring
from chasles.model.shapes import Rod as Rod
from chasles.model.shapes import Shape as Shape
from chasles.model.shapes import Sphere as Sphere
from chasles.model.signals import Signal as Signal

#: What models are made of, for users; `chasles` has these names, too.
__all__ = [
    "GROUND", "Body", "Box", "Bushing", "Capsule", "Cartesian", "ChaslesError",
    "ChaslesWarning", "Cone", "ConstantVelocity", "Contact", "Coupling", "CustomCoupling",
    "CustomForce", "CustomJoint", "Cylinder", "Cylindrical", "Distance", "Drag", "Driver",
    "Fixed", "Force", "ForceSensor", "Gear", "Helical", "InconsistentStart", "InvalidBody",
    "InvalidCoupling", "InvalidDriver", "InvalidFile", "InvalidForce", "InvalidJoint",
    "InvalidModel", "InvalidOption", "InvalidSensor", "InvalidSignal", "Joint", "JointFriction",
    "JointLaw", "JointSensor", "JointSpring", "JointStop", "Load", "LowerPair", "Mesh", "Model",
    "Motor", "NoEquilibrium", "Planar", "PointDriver", "PointOnLine", "PointOnPlane",
    "Prismatic", "RedundantConstraints", "Revolute", "Ring", "Rod", "RollingDisc",
    "RollingSphere", "Sensor", "Servo", "Shape", "Signal", "SimulationStopped", "Sphere",
    "Spherical", "Spring", "TorsionSpring", "Universal", "UnknownName", "compound",
]  # fmt: skip
