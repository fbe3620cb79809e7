"""What the machine could do at best, and how much of it the steps use.

    python benchmarks/run.py --only roofline

Peak: products added to sums (FMA) in more registers than the units are deep, by machine code made
here as steps are; memory: a sum of two arrays that fit no cache.  Operations of a step are counted
in its recording: a sum, product, quotient or root is one.  A step of one system is a chain of
operations that wait for each other; its bound is not the peak but the length of that chain,
`longest chain`, at the clock found by additions that wait for each other.
"""

import ctypes
import time
from collections.abc import Callable
from typing import Any

import models
import numpy as np
import scenes
from clocks import STEP, clock, make_stepper
from findings import Figure, Findings
from libraries import race
from traced import ensemble_clock, many_tops

from chasles.core.arrays import Floats
from chasles.many.traced.machine import compiled
from chasles.many.traced.record import record
from chasles.many.traced.schedule import CYCLES, USUAL
from chasles.many.traced.stepping import TracedSteps
from chasles.scalars.nodes import Place, Program

#: Sums that are made beside each other: units take four cycles and there are two.
SUMS, ROUNDS = 12, 200_000
#: Numbers of an array that fits no cache.
LARGE = 2**24
#: Cycles of an addition that waits for the one before.
LATENCY = 3
LAPS = 60
MACHINE = "machine, one core"
#: Operations that count, and how much: sums with their errors have several.
COUNTED = {"add": 1, "subtract": 1, "multiply": 1, "divide": 1, "sqrt": 1,
           "compensated": 4, "two_sum": 6, "two_product": 17, "power": 1}  # fmt: skip


def fma_ir(lanes: int) -> str:
    """A loop of x = x * a + b in many registers."""
    kind = "double" if lanes == 1 else f"<{lanes} x double>"
    name = "f64" if lanes == 1 else f"v{lanes}f64"
    phis = [f"  %x{k} = phi {kind} [ %a0, %entry ], [ %y{k}, %loop ]" for k in range(SUMS)]
    body = [
        f"  %y{k} = call {kind} @llvm.fma.{name}({kind} %x{k}, {kind} %a0, {kind} %a0)"
        for k in range(SUMS)
    ]
    sums = [f"  %s1 = fadd {kind} %y0, %y1"]
    sums += [f"  %s{k} = fadd {kind} %s{k - 1}, %y{k}" for k in range(2, SUMS)]
    return "\n".join(
        [
            "define void @peak(ptr %memory, i64 %rounds) {", "entry:",
            f"  %a0 = load {kind}, ptr %memory, align 8", "  br label %loop",
            "loop:", "  %i = phi i64 [ 0, %entry ], [ %j, %loop ]", *phis, *body,
            "  %j = add i64 %i, 1", "  %more = icmp slt i64 %j, %rounds",
            "  br i1 %more, label %loop, label %done", "done:", *sums,
            f"  store {kind} %s{SUMS - 1}, ptr %memory, align 8", "  ret void", "}",
            f"declare {kind} @llvm.fma.{name}({kind}, {kind}, {kind})",
        ]
    )  # fmt: skip


CHAIN_IR = """define void @chain(ptr %memory, i64 %rounds) {
entry:
  %a = load double, ptr %memory
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %x = phi double [ %a, %entry ], [ %z, %loop ]
  %y = fadd double %x, %a
  %z = fadd double %y, %a
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %rounds
  br i1 %more, label %loop, label %done
done:
  store double %z, ptr %memory
  ret void
}
"""


def loop_clock(text: str, name: str, rounds: int) -> Callable[[], float]:
    """CPU seconds of such a loop."""
    code = compiled(text)
    function = code.function(name, ctypes.c_void_p, ctypes.c_int64)
    memory = np.full(64, 0.5)

    def measured() -> float:
        began = time.process_time()
        function(memory.ctypes.data, rounds)
        return time.process_time() - began

    measured.code = code  # type: ignore[attr-defined]  # alive as long as this is
    return measured


def triad_clock() -> Callable[[], float]:
    """CPU seconds to add two arrays into a third."""
    a, b, into = np.ones(LARGE), np.ones(LARGE), np.ones(LARGE)

    def measured() -> float:
        began = time.process_time()
        np.add(a, b, out=into)
        return time.process_time() - began

    return measured


def operations(program: Program) -> int:
    return sum(COUNTED.get(node.name, 0) for node in program.nodes)


def longest_chain(program: Program, width: int) -> float:
    """Cycles a step, where each waits for the last: the longest way around, in the mean."""
    ways = np.full((width, width), -np.inf)
    for start in range(width):
        found = [-np.inf] * program.inputs
        found[start] = 0.0
        for node in program.nodes:
            known = [found[x.index] for x in node.operands if isinstance(x, Place)]
            found.append(max(known, default=-np.inf) + CYCLES.get(node.name, USUAL))
        for end, x in enumerate(program.outputs[:width]):
            ways[start, end] = found[x.index] if isinstance(x, Place) else -np.inf
    lengths: Floats = np.zeros(width)
    for _ in range(LAPS):  # longest ways of so many steps: their growth is that of one more
        lengths = (lengths[:, None] + ways).max(axis=0)
    further: Floats = lengths
    for _ in range(LAPS):
        further = (further[:, None] + ways).max(axis=0)
    known = np.isfinite(further)
    return float((further[known] - lengths[known]).max() / LAPS)


def recorded(scene: scenes.Scene) -> tuple[Any, Any]:
    """A stepper and the recording of its step."""
    stepper = make_stepper(models.build(scene))
    block, nowhere = stepper.first_block(), np.zeros((1, 1))
    stepper.advance_generic(block, block.copy(), (0.0, STEP, 0, 3, 2**62), 2**62, 1, nowhere)
    records = stepper.mechanism, stepper.workspace, stepper.scheme
    return stepper, record(records, block, (3 * STEP, 4 * STEP), STEP)


def roofline(libraries: dict[str, Any], effort: Any, findings: Findings) -> None:
    """The machine, one step of one system, and steps in lanes."""
    wide = 8
    machine = {
        f"FMA, {lanes} lanes": loop_clock(fma_ir(lanes), "peak", ROUNDS) for lanes in (1, 4, wide)
    }
    machine["additions in a row"] = loop_clock(CHAIN_IR, "chain", 10 * ROUNDS)
    machine["two arrays into a third"] = triad_clock()
    best = race(machine, max(5, effort.rounds))
    rates = {
        lanes: 2e-9 * lanes * SUMS * ROUNDS / best[f"FMA, {lanes} lanes"] for lanes in (1, 4, wide)
    }
    gigahertz = 1e-9 * LATENCY * 2 * 10 * ROUNDS / best["additions in a row"]

    def tell(variant: str, value: float, unit: str, case: str = "machine, one core") -> None:
        findings.figures.append(
            Figure(case, "chasles" if case != "machine, one core" else "", variant, value, unit)
        )

    for lanes, rate in rates.items():
        tell(f"peak, FMA, {lanes} lanes", rate, "Gflop/s")
    tell("clock, from additions in a row", gigahertz, "GHz")
    tell("memory, two arrays into a third", 24e-9 * LARGE / best["two arrays into a third"], "GB/s")
    for scene in (scenes.heavy_top(), scenes.double_pendulum()):
        stepper, made = recorded(scene)
        count = operations(made.step)
        case = f"{scene.name}, roofline"
        timed = {
            word: clock(stepper, TracedSteps(stepper, STEP, contract).advance, effort.small_steps)
            for word, contract in (("exact", False), ("with FMA", True))
        }
        tell("operations of a step", count, "", case)
        bound = longest_chain(made.step, made.width) / gigahertz * 1e-3
        tell("longest chain of a step", bound, "us", case)
        for word, value in race(timed, effort.rounds).items():
            tell(f"one system, {word}", 1e-3 * count / value, "Gflop/s", case)
            tell(f"one system, {word}, of the chain's bound", bound / value, "", case)
    in_lanes(rates[wide], effort, tell)


def in_lanes(peak: float, effort: Any, tell: Callable[..., None]) -> None:
    """Many systems beside each other: no step waits for another system's."""
    _, made = recorded(scenes.heavy_top())
    model, spins = many_tops(scenes.heavy_top())
    timed = {"exact": ensemble_clock(model, spins), "with FMA": ensemble_clock(model, spins, False)}
    for word, value in race(timed, min(3, effort.rounds)).items():
        rate = 1e-3 * operations(made.step) / value
        tell(f"in lanes, {word}", rate, "Gflop/s", "heavy top, roofline")
        tell(f"in lanes, {word}, of the peak", rate / peak, "", "heavy top, roofline")


CASES = {"roofline": roofline}
