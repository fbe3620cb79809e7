"""What commands share: words or numbers as JSON, and an exit code."""

import json
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from chasles.model.tables import finite


def show(options: Namespace, words: Any, data: Callable[[], Any], good: bool = True) -> int:
    """Print words, or data as JSON where that was asked for; the exit code."""
    if options.json:
        text = json.dumps(finite(data()), indent=2, ensure_ascii=False, allow_nan=False)
        print(text)
    else:
        print(words)
    return 0 if good else 1
