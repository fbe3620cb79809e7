"""Records on their way into a kernel: all their pointers and numbers in one block of memory.

A named tuple crosses into machine code field by field, and an array as seven of them: for a model
that is a thousand, and every call of a routine passes them on.  Lent, it is one pointer to a block
with a word per field, which is read where it is used.
"""

import hashlib
import struct
from ctypes import addressof, c_char
from typing import Any, ClassVar

import numpy as np
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

from chasles.compiled.reach import described_type

#: How the fields of records are packed, and what they are to the compiler.
POINTERS = {np.dtype(np.float64): types.CPointer(types.float64),
            np.dtype(np.int64): types.CPointer(types.int64)}  # fmt: skip
NUMBERS = {"q": types.int64, "d": types.float64}


class Lent:
    """A record, the block of words made from it, and where that is."""

    __slots__ = ("address", "kind", "record", "words")

    def __init__(self, record: Any) -> None:
        values: list[Any] = []
        shape: list[Any] = [type(record)]
        pack(record, values, shape)
        self.kind, layout = LentType.of(record, tuple(shape))
        self.record = record  # keeps the arrays alive
        self.words = bytearray(layout.pack(*values))
        self.address = addressof(c_char.from_buffer(self.words))

    def __reduce__(self) -> Any:  # the arrays of a copy lie elsewhere
        return Lent, (self.record,)


def lend(argument: Any) -> Any:
    """A named tuple as a kernel takes it; arrays that cannot be written to as copies, which are of
    the same type as others; anything else as it is.

    Whoever passes the same record to kernels time and again lends it once, and keeps what comes
    back as long as the record: a kernel that is given a bare record packs it at every call.
    """
    if isinstance(argument, np.ndarray):
        return argument if argument.flags.writeable else argument.copy()
    return Lent(argument) if hasattr(argument, "_fields") else argument


def record_of(argument: Any) -> Any:
    """What was lent, for those who read it as Python."""
    return argument.record if isinstance(argument, Lent) else argument


def address_of(array: Any) -> int:
    """Where the numbers of an array are."""
    try:
        return addressof(c_char.from_buffer(array))  # in a fifth of the time of what is below
    except (TypeError, ValueError):  # read-only, or empty
        address: int = array.__array_interface__["data"][0]
        return address


def pack(record: Any, values: list[Any], shape: list[Any]) -> None:
    """Append the words of a record, and what they are: a class, a kind of array or of number."""
    for part in record:
        if isinstance(part, np.ndarray):
            values.append(address_of(part) if part.size else 0)
            shape.append(part.dtype)
        elif isinstance(part, float):
            values.append(part)
            shape.append("d")
        elif hasattr(part, "_fields"):
            shape.append(type(part))
            pack(part, values, shape)
        else:
            values.append(part)
            shape.append("q")


class LentType(types.Type):
    """A pointer to the words of a record, of which `record` is the borrowed type."""

    known: ClassVar[dict[Any, Any]] = {}

    def __init__(self, record: Any) -> None:
        self.record = record
        owner = record.instance_class
        digest = hashlib.sha256(described_type(record).encode()).hexdigest()[:32]
        super().__init__(name=f"{owner.__module__}.{owner.__name__} {digest}")

    @property
    def instance_class(self) -> Any:
        """The class of the record, as Numba says it of named tuples."""
        return self.record.instance_class

    @classmethod
    def of(cls, record: Any, shape: tuple[Any, ...]) -> Any:
        """The type of a record of this shape, and how its words are packed."""
        if shape not in cls.known:
            letters = ("P" if isinstance(part, np.dtype) else part for part in shape)
            layout = struct.Struct("".join(part for part in letters if isinstance(part, str)))
            cls.known[shape] = cls(lent_kind(record)), layout
        return cls.known[shape]


def lent_kind(part: Any) -> Any:
    """What a field is inside of kernels."""
    if isinstance(part, np.ndarray):
        return POINTERS[part.dtype]
    if hasattr(part, "_fields"):
        return types.BaseTuple.from_types([lent_kind(field) for field in part], type(part))
    return NUMBERS["d" if isinstance(part, float) else "q"]


register_model(LentType)(models.OpaqueModel)


@typeof_impl.register(Lent)
def _type_of_lent(value: Any, context: Any) -> Any:
    return value.kind


@unbox(LentType)
def _unbox_lent(kind: Any, value: Any, context: Any) -> Any:
    number = context.pyapi.object_getattr_string(value, "address")
    pointer = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return NativeValue(pointer)


@infer_getattr
class _Fields(AttributeTemplate):
    """What the fields of a lent record are: numbers, pointers, or records in the same block."""

    key = LentType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        if name not in kind.record.fields:
            return None
        part = kind.record[kind.record.fields.index(name)]
        return LentType(part) if isinstance(part, types.BaseNamedTuple) else part


def words_of(kind: Any) -> int:
    """How many words a field has."""
    if isinstance(kind, types.BaseNamedTuple):
        return sum(words_of(part) for part in kind.types)
    return 1


@lower_getattr_generic(LentType)
def _read_field(context: Any, builder: Any, kind: Any, words: Any, name: str) -> Any:
    index = kind.record.fields.index(name)
    before = sum(words_of(part) for part in kind.record.types[:index])
    place = builder.gep(words, [context.get_constant(types.intp, 8 * before)])
    part = kind.record[index]
    if isinstance(part, types.BaseNamedTuple):
        return place
    value = builder.load(builder.bitcast(place, context.get_value_type(part).as_pointer()))
    # No kernel writes to the block: a field is read once, whatever is written in between.
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value
