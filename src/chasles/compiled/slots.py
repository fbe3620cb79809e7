"""Slots: where kernels find the addresses of routines that are compiled apart.

A slot is a word of memory with a name that machine code refers to, from a file as well.  It is 0
until a step comes to it.
"""

import ctypes
import hashlib
import threading
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm

from chasles.compiled.reach import described_type

PREFIX = "chasles.slot."
#: What a kernel calls that finds a slot empty.
FILL = "chasles.fill"
#: Routines apart, by module and name; and their slots, by symbol.
ROUTINES: dict[tuple[str, str], Any] = {}
SLOTS: dict[str, "Slot"] = {}
#: Why a slot could not be filled, by thread.
FAILURES: dict[int, BaseException] = {}


class NotFilled(Exception):
    """A kernel gave up, since Python failed to fill a slot; FAILURES says why."""


class Slot:
    """The address of a routine for arguments of some types, or 0."""

    def __init__(self, symbol: str, routine: Any, kinds: tuple[Any, ...]) -> None:
        self.symbol, self.routine, self.kinds = symbol, routine, kinds
        self.address = ctypes.c_int64(0)
        llvm.add_symbol(symbol, ctypes.addressof(self.address))

    def fill(self) -> int:
        """Load the routine, or compile it: its address."""
        if self.address.value == 0:
            self.address.value = self.routine.prepare(self.kinds)
        return self.address.value


def slot_of(routine: Any, kinds: tuple[Any, ...]) -> Slot:
    """Where kernels find a routine for arguments of these types."""
    module, name = routine.key
    call = f"{module}.{name}({', '.join(map(described_type, kinds))})"
    symbol = f"{PREFIX}{name}.{hashlib.sha256(call.encode()).hexdigest()[:32]}"
    if symbol not in SLOTS:
        SLOTS[symbol] = Slot(symbol, routine, kinds)
    return SLOTS[symbol]


def empty_slots() -> list[Slot]:
    """Slots that kernels of this process know and that no step has come to."""
    return [slot for slot in SLOTS.values() if slot.address.value == 0]


def fill_slots() -> int:
    """Load or compile all routines that kernels of this process may call: how many there are."""
    while empty := empty_slots():  # one that is compiled brings those that it calls
        for slot in empty:
            slot.fill()
    return len(SLOTS)


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)
def _fill(symbol: bytes) -> int:
    """The address that belongs in a slot, or 0 where there is none."""
    try:
        return SLOTS[symbol.decode()].fill()
    except BaseException as error:  # C cannot hand it on: the kernel's caller raises it
        FAILURES[threading.get_ident()] = error
        return 0


llvm.add_symbol(FILL, ctypes.cast(_fill, ctypes.c_void_p).value)


# --- what a file of machine code needs to run -----------------------------------------------------


def slots_used(library: Any) -> list[Any]:
    """Routines and types of the slots that machine code reads."""
    names = [variable.name for variable in library._final_module.global_variables]
    slots = [SLOTS[name] for name in names if name in SLOTS]
    return [(*slot.routine.key, slot.kinds) for slot in slots]


def make_slots(used: list[Any]) -> None:
    """The slots that machine code from a file reads."""
    for module, name, kinds in used:
        if (module, name) not in ROUTINES:
            import_module(module)
        slot_of(ROUTINES[module, name], kinds)
