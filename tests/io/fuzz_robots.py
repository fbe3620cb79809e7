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
#: What MuJoCo makes much of from few numbers; into the empty places go numbers that hurt.
MADE = [
    "<asset><mesh name='made' builtin='wedge' params='{} {} 30 30 0'/></asset>",
    "<asset><mesh name='made' builtin='supersphere' params='{} {} 1'/></asset>",
    "<asset><mesh name='made' builtin='supertorus' params='{} {} 1 1'/></asset>",
    "<asset><mesh name='made' builtin='plate' params='{} {}'/></asset>",
    "<asset><mesh name='made' builtin='sphere' params='{}'/></asset>",
    "<worldbody><flexcomp name='made' type='grid' count='{} {} {}' spacing='.1 .1 .1' radius='.01'"
    " dim='3' mass='1' dof='trilinear' cellcount='{} {} {}'/></worldbody>",
    "<worldbody><replicate count='{}' offset='1 0 0'><body><joint type='hinge'/><geom size='{}'/>"
    "</body></replicate></worldbody>",
    "<custom><numeric name='made' size='{}' data='1'/></custom>",
    "<size memory='{}' nuser_body='{}' nkey='{}'/>",
    "<extension><plugin plugin='mujoco.sdf.torus'><instance name='made'><config key='radius1'"
    " value='{}'/><config key='radius2' value='{}'/></instance></plugin></extension>"
    "<asset><mesh name='made'><plugin instance='made'/></mesh></asset>",
    "<worldbody><body><joint name='made' type='hinge'/><geom size='.1'/></body></worldbody>"
    "<actuator><general joint='made' dyntype='user' actdim='{}' nsample='{}' delay='{}'/>"
    "</actuator><sensor><jointpos joint='made' nsample='{}' delay='1'/><user dim='{}'/></sensor>",
]


def main(count: int, seed: int, folder: Path) -> None:
    source, models, slowest = random.Random(seed), 0, 0.0
    seeds = [(path.suffix, path.read_text("utf-8")) for path in sorted(ROBOTS.iterdir())]
    for index in range(count):
        suffix, text = seeds[index % len(seeds)]
        path = folder / f"robot{suffix}"
        changed = with_more(in_attributes(mutated(text, source), source), source)
        path.write_text(changed, "utf-8", "surrogatepass")
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


def with_more(text: str, source: random.Random) -> str:
    """Now and then an element more, of those that make much of a few numbers."""
    end = text.rfind("</mujoco>")
    if end < 0 or source.random() < 0.7:
        return text
    element = source.choice(MADE)
    numbers = [
        source.choice(NASTY) if source.random() < 0.4 else str(source.randint(1, 12))
        for _ in range(element.count("{}"))
    ]
    return text[:end] + element.format(*numbers) + text[end:]


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
