"""Mutated robots, in a process of their own: a crash of the compiler is the end of this one."""

import faulthandler
import random
import sys
import time
from pathlib import Path

from fuzzing import mutated

import chasles as ch

ROBOTS = Path(__file__).parent / "robots"
#: Seconds after which a file that is still being read is taken for one that never ends: the process
#: says where it is and stops, and the file stays in the folder.
FOREVER = 30.0
NASTY = ["nan", "inf", "1e308", "-1", "0", "1 2", "a", "", "1e-300", "0 0 0", "../x", "99999999"]


def main(count: int, seed: int, folder: Path) -> None:
    source, models, slowest = random.Random(seed), 0, 0.0
    seeds = [(path.suffix, path.read_text("utf-8")) for path in sorted(ROBOTS.iterdir())]
    for index in range(count):
        suffix, text = seeds[index % len(seeds)]
        path = folder / f"robot{suffix}"
        path.write_text(in_attributes(mutated(text, source), source), "utf-8", "surrogatepass")
        began = time.process_time()
        faulthandler.dump_traceback_later(FOREVER, exit=True)
        try:
            ch.read_model(path)
            models += 1
        except ch.ChaslesError as error:
            assert error.what and error.remedy
        slowest = max(slowest, time.process_time() - began)
    faulthandler.cancel_dump_traceback_later()
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
