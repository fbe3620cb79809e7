"""Mutated robots, in a process of their own: a crash of the compiler is the end of this one."""

import random
import sys
import time
from pathlib import Path

from fuzzing import mutated

import chasles as ch

ROBOTS = Path(__file__).parent / "robots"
NASTY = ["nan", "inf", "1e308", "-1", "0", "1 2", "a", "", "1e-300", "0 0 0", "../x", "99999999"]


def main(count: int, seed: int, folder: Path) -> None:
    source, models, slowest = random.Random(seed), 0, 0.0
    seeds = [(path.suffix, path.read_text("utf-8")) for path in sorted(ROBOTS.iterdir())]
    for index in range(count):
        suffix, text = seeds[index % len(seeds)]
        path = folder / f"robot{suffix}"
        path.write_text(in_attributes(mutated(text, source), source), "utf-8", "surrogatepass")
        began = time.process_time()
        try:
            ch.read_model(path)
            models += 1
        except ch.ChaslesError as error:
            assert error.what and error.remedy
        slowest = max(slowest, time.process_time() - began)
    print(models, slowest)


def in_attributes(text: str, source: random.Random) -> str:
    """Half of the time, one attribute with a value that hurts."""
    quotes = [k for k, letter in enumerate(text) if letter == '"']
    if len(quotes) < 4 or source.random() < 0.5:
        return text
    at = 2 * source.randrange(len(quotes) // 2 - 1)
    return text[: quotes[at] + 1] + source.choice(NASTY) + text[quotes[at + 1] :]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
