"""The time loop around a recorded step, in LLVM IR: for one system, or one in each lane.

    void run(double *state, double *parameters, double *saved, i64 *reached, double *observed,
             double origin, double step, i64 first, i64 last, i64 end, i64 every, i64 first_row)

takes steps as `integrators.advance` does.  Arrays are (numbers, lanes), `saved` is (rows, kept,
lanes).  A step, with the look at its end where one is due, is committed in the lanes whose guards
all hold; a lane whose guard fails stops where it is, `reached` says at which step, and the others
go on.  Operations are those of one system, lane by lane: so are the bits.

`observed` is (quantities, ACCUMULATED, lanes): of every quantity that is observed its largest and
smallest value so far, the sum, and the value at the end.

    void packs(..., i64 packs, i64 rows, ...)

does so for one pack of lanes after the other; arrays have packs for their first axis.
"""

from collections.abc import Sequence
from typing import Any

from chasles.integrators.advance import MONITOR_EVERY
from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.record import Recording
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import Place, Program

RUN, PACKS = "chasles_run", "chasles_packs"
#: Largest, smallest, sum, last.
ACCUMULATED = 4
ARRAYS = ("state", "parameters", "saved", "reached", "observed")
TIMES = """double %origin, double %step, i64 %first, i64 %last, i64 %end, i64 %every,
    i64 %first_row"""
#: When the step from %index to %next begins and ends.
WHEN = """  %count0 = sitofp i64 %index to double
  %count1 = sitofp i64 %next to double
  %since0 = fmul double %step, %count0
  %since1 = fmul double %step, %count1
  %when0 = fadd double %origin, %since0
  %when1 = fadd double %origin, %since1"""
WRAPPER = """define void @{packs}({arrays}, i64 %packs, i64 %rows, {times}) {{
entry:
  %any = icmp sgt i64 %packs, 0
  br i1 %any, label %loop, label %done
loop:
  %pack = phi i64 [ 0, %entry ], [ %next, %loop ]
  %first_saved = mul i64 %pack, %rows
{moves}
  call void @{run}({moved}, {times})
  %next = add i64 %pack, 1
  %more = icmp slt i64 %next, %packs
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
HEAD = """define void @{run}({arrays}, {times}) {{
entry:
  %saves = sdiv i64 %first, %every
  %saves1 = add i64 %saves, 1
  %save0 = mul i64 %saves1, %every
  %slot0 = sub i64 %saves1, %first_row
{begin}
  %any = icmp slt i64 %first, %last
  br i1 %any, label %loop, label %done
loop:
  %index = phi i64 [ %first, %entry ], [ %next, %latch ]
  %save = phi i64 [ %save0, %entry ], [ %save1, %latch ]
  %slot = phi i64 [ %slot0, %entry ], [ %slot1, %latch ]
  %alive = phi {bits} [ {true}, %entry ], [ %alive2, %latch ]
  %next = add i64 %index, 1
{when}
"""
DUE = """  %since = srem i64 %next, {look}
  %due = icmp eq i64 %since, 0
  %over = icmp eq i64 %next, %end
  %see = or i1 %due, %over
  br i1 %see, label %looking, label %plain
looking:
"""
KEEP = """keep:
  %alive2 = phi {bits} [ %alive, %commit0 ], [ %alive0, %partly0 ], [ %alive, %commit1 ],
    [ %alive1, %partly1 ]
  %keeps = icmp eq i64 %next, %save
  br i1 %keeps, label %keeping, label %latch0
keeping:
"""
LATCH = """  %save2 = add i64 %save, %every
  %slot2 = add i64 %slot, 1
  br label %latch
latch0:
  br label %latch
latch:
  %save1 = phi i64 [ %save2, %keeping ], [ %save, %latch0 ]
  %slot1 = phi i64 [ %slot2, %keeping ], [ %slot, %latch0 ]
  %living = bitcast {bits} %alive2 to {mask}
  %some = icmp ne {mask} %living, 0
  %left = icmp slt i64 %next, %last
  %more = and i1 %some, %left
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


class Lanes(Body):
    """A body on lanes, with its arrays of numbers of all lanes."""

    def stop(self, lanes: str) -> None:
        """Some lanes have come to the step that begins here, and no further."""
        whole = self.whole
        old = self.put(f"load {whole}, ptr %reached, align 8")
        new = self.put(
            f"select {self.bits} {lanes}, {whole} {self.splat('%index', 'i64')}, {whole} {old}"
        )
        self.lines.append(f"  store {whole} {new}, ptr %reached, align 8")

    def put_text(self, text: str, words: dict[str, Any]) -> None:
        self.lines.append(text.format(**words).rstrip("\n"))

    @property
    def mask(self) -> str:
        return f"i{self.lanes}"

    @property
    def whole(self) -> str:
        """The type of integers."""
        return "i64" if self.lanes == 1 else f"<{self.lanes} x i64>"


def changed(outputs: Sequence[str], program: Program) -> dict[int, str]:
    """Words of the numbers of the block that differ from what they were."""
    pairs = enumerate(zip(outputs, program.outputs, strict=True))
    return {k: word for k, (word, place) in pairs if place != Place(k)}


def commit(body: Lanes, written: dict[int, str], holds: str, way: int) -> None:
    """Store for all lanes, or for those that are alive and whose guards hold."""
    alive = f"%alive{way}"
    body.lines.append(f"  {alive} = and {body.bits} %alive, {holds}")
    packed = body.put(f"bitcast {body.bits} {alive} to {body.mask}")
    full = body.put(f"icmp eq {body.mask} {packed}, -1")
    body.lines += [f"  br i1 {full}, label %commit{way}, label %partly{way}", f"partly{way}:"]
    others = body.put(f"xor {body.bits} {holds}, {body.true}")
    body.stop(body.put(f"and {body.bits} %alive, {others}"))
    for k, word in written.items():
        body.store("state", k, word, alive)
    body.lines += ["  br label %keep", f"commit{way}:"]
    for k, word in written.items():
        body.store("state", k, word)
    body.lines.append("  br label %keep")


def run_ir(
    recording: Recording, kept: int, lanes: int = 1, contract: bool = False,
    observe: Program | None = None,
) -> str:  # fmt: skip
    """The text of a module with `run`; `packs` comes with `packs_ir`.

    The first `kept` numbers of a block are saved, if nothing is observed.
    """
    width, parameters = recording.width, recording.parameters
    body = Lanes(lanes, contract)
    step, look = scheduled(recording.step), scheduled(recording.monitor)
    words = {
        "bits": body.bits, "mask": body.mask, "look": MONITOR_EVERY, "run": RUN,
        "true": body.true,
        "arrays": ", ".join(f"ptr noalias %{name}" for name in ARRAYS), "times": TIMES,
        "when": WHEN,
    }  # fmt: skip
    begin = Lanes(lanes, prefix="e")
    begin.lines.append(f"  store {body.whole} {begin.splat('%last', 'i64')}, ptr %reached, align 8")
    text = HEAD.format(**words, begin="\n".join(begin.lines))
    times = [body.splat("%when0"), body.splat("%when1")]
    outputs, holds = body.program(step, body.inputs(step, width, times, parameters))
    taken = changed(outputs, step)
    body.put_text(DUE, words)
    given = body.inputs(look, width, [times[1]], parameters)
    seen, sees = body.program(look, [taken.get(k, word) for k, word in enumerate(given)])
    both = body.put(f"and {body.bits} {holds}, {sees}")
    commit(body, taken | changed(seen, look), both, 0)
    body.lines.append("plain:")
    commit(body, taken, holds, 1)
    body.put_text(KEEP, words)
    keep(body, kept, observe, recording)
    body.put_text(LATCH, words)
    body.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    text += "\n".join(body.lines) + "\n"
    return text + "\n".join(sorted(body.declared)) + "\n"


def packs_ir(recording: Recording, kept: int, lanes: int, observe: Program | None) -> str:
    """The text of `packs`, in the module of `run`; all numbers take eight bytes."""
    quantities = 0 if observe is None else len(observe.outputs)
    sizes = recording.width, recording.parameters, kept, 1, quantities * ACCUMULATED
    moves = []
    for name, size in zip(ARRAYS, sizes):
        first = "%first_saved" if name == "saved" else "%pack"
        moves += [f"  %{name}_at = mul i64 {first}, {size * lanes}",
                  f"  %{name}_own = getelementptr double, ptr %{name}, i64 %{name}_at"]  # fmt: skip
    return WRAPPER.format(
        packs=PACKS, run=RUN, times=TIMES, moves="\n".join(moves),
        arrays=", ".join(f"ptr %{name}" for name in ARRAYS),
        moved=", ".join(f"ptr %{name}_own" for name in ARRAYS),
    )  # fmt: skip


def keep(body: Lanes, kept: int, observe: Program | None, recording: Recording) -> None:
    """Save the points, or what is observed of them."""
    if observe is None:
        row = body.put(f"mul i64 %slot, {kept * body.lanes}")
        into = body.put(f"getelementptr double, ptr %saved, i64 {row}")
        copy = "call void @llvm.memcpy.p0.p0.i64"
        count = 8 * kept * body.lanes
        body.lines.append(
            f"  {copy}(ptr align 8 {into}, ptr align 8 %state, i64 {count}, i1 false)"
        )
        return
    given = recording.width, [body.splat("%when1")], recording.parameters
    outputs, _ = body.program(observe, body.inputs(observe, *given))
    for k, word in enumerate(outputs):
        at = k * ACCUMULATED
        largest, smallest = body.load("observed", at), body.load("observed", at + 1)
        total = body.binary("fadd", body.load("observed", at + 2), word)
        for place, value in enumerate(
            (body.maximum(largest, word), body.minimum(smallest, word), total, word)
        ):
            body.store("observed", at + place, value, "%alive2")


# --- back along the steps ---

BACK = "chasles_back"
BACK_HEAD = """define void @chasles_back(ptr noalias %states, ptr noalias %parameters,
    ptr noalias %seeds, ptr noalias %weights, ptr noalias %totals, double %origin, double %step,
    i64 %first, i64 %count) {{
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %left = phi i64 [ %count, %entry ], [ %k, %loop ]
  %k = sub i64 %left, 1
  %index = add i64 %first, %k
  %next = add i64 %index, 1
{when}
  %row = mul i64 %k, {width}
  %state = getelementptr double, ptr %states, i64 %row
  %seed = getelementptr double, ptr %seeds, i64 %row
"""
BACK_TAIL = """  %more = icmp sgt i64 %k, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def back_ir(program: Program, width: int, parameters: int) -> str:
    """Back along the steps of a run by the adjoint of a step:

    void back(double *states, double *parameters, double *seeds, double *weights, double *totals,
              double origin, double step, i64 first, i64 count)

    goes from step first + count back to `first`: `states` (count, width) has the block before every
    step, `seeds` (count, width) what is added to the weights of the block after it.  `weights`
    (width) are those after the last step, and in the end those before the first; what comes back to
    parameters is added up in `totals`.  `program` is (block, times, parameters; weights).
    """
    program = scheduled(program)
    body = Body(contract=True)
    seeds = [body.binary("fadd", body.load("weights", k), body.load("seed", k))
             for k in range(width)]  # fmt: skip
    inputs = body.inputs(program, width, ["%when0", "%when1"], parameters) + seeds
    outputs, _ = body.program(program, inputs)
    for k in range(width):
        body.store("weights", k, outputs[k])
    for k, word in enumerate(outputs[width + 2 : width + 2 + parameters]):
        body.store("totals", k, body.binary("fadd", body.load("totals", k), word))
    lines = [BACK_HEAD.format(width=width, when=WHEN).rstrip("\n"), *body.lines, BACK_TAIL.format()]
    return "\n".join([*lines, *sorted(body.declared), ""])
