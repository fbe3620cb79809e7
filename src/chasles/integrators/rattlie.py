"""Being rewritten."""
from typing import Any, NamedTuple

RATTLIE = {"rattlie": 2, "rattlie4": 4, "rattlie6": 6, "rattlie8": 8}
class Rattlie(NamedTuple):
    x: int
def make_rattlie(*a: Any) -> Any:
    raise NotImplementedError
def attempt_rattlie(mechanism, scratch, scheme, state, t, step, out):
    return 0
