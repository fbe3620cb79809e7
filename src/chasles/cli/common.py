"""What commands share: words or numbers as JSON, and an exit code."""

import json
import math
from argparse import Namespace
from collections.abc import Callable
from typing import Any


def show(options: Namespace, words: Any, data: Callable[[], Any], good: bool = True) -> int:
    """Print words, or data as JSON where that was asked for; the exit code."""
    if options.json:
        text = json.dumps(finite(data()), indent=2, ensure_ascii=False, allow_nan=False)
        print(text)
    else:
        print(words)
    return 0 if good else 1


def finite(value: Any) -> Any:
    """Data with null for numbers that are not finite, which JSON does not have."""
    if isinstance(value, dict):
        return {str(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
