"""Files with something changed at random, the same ones every time."""

import random
import re

NASTY = [
    "nan", "inf", "-inf", "1e999", "-0.0", "1e308", "5e-324", "9" * 400, "[]", "{}", "''", "true",
    "[[[[]]]]", "2026-01-01", "0x7f", "[0, 0, 0]", "[1, 2]", "'z'", '"sin(t)"', "-1", "0", "1e-300",
    "{kind='sine',amplitude=1,frequency=1}", "{kind='table',times=[0,1e-300],values=[0,1e300]}",
    "'t^t^t^t'", "'((((('", "[nan, 0, 0]", '"\\u0000"', '"ground"', "[['a']]", "1_000", "+1",
]  # fmt: skip
VALUE = re.compile(r"(?<== ).*")
LETTERS = "abckmnxyz0189-+.=[]{}\"'#,_ \n\\^(){}\u00e9\u2028\x00\x7f"


def mutated(text: str, random_source: random.Random, nasty: list[str] = NASTY) -> str:
    """The text with one to three changes."""
    for _ in range(random_source.randint(1, 3)):
        kind = random_source.randrange(7)
        place = random_source.randrange(len(text) + 1)
        length = random_source.choice((1, 1, 2, 5, 20))
        if kind == 0:  # another letter
            text = text[:place] + random_source.choice(LETTERS) + text[place + 1 :]
        elif kind == 1:  # a piece lost
            text = text[:place] + text[place + length :]
        elif kind == 2:  # a piece twice
            text = text[: place + length] + text[place : place + length] + text[place + length :]
        elif kind == 3:  # something from elsewhere
            other = random_source.randrange(len(text) + 1)
            text = text[:place] + text[other : other + 30] + text[place:]
        elif kind == 4:  # two lines exchanged
            lines = text.split("\n")
            a, b = random_source.randrange(len(lines)), random_source.randrange(len(lines))
            lines[a], lines[b] = lines[b], lines[a]
            text = "\n".join(lines)
        else:  # a value that hurts, in the place of another
            values = list(VALUE.finditer(text))
            if values:
                found = random_source.choice(values)
                text = text[: found.start()] + random_source.choice(nasty) + text[found.end() :]
    return text
