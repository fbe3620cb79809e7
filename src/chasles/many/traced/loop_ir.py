"""The time loop around a recorded step, in LLVM IR, for one system.

    i64 run(double *state, double *carried, double *parameters, double *saved, i64 *pending,
            double origin, double step, i64 first, i64 last, i64 end, i64 every, i64 first_row)

takes steps as `integrators.advance` does, and answers which step it has reached.  A step is
committed if all its guards hold; else the answer is the step before, to be taken otherwise.  Where
a guard of a look fails, `pending` is 1: the step is taken, but the look and saving are still due.
"""

from collections.abc import Sequence

from chasles.integrators.advance import LOOK_EVERY
from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.record import Recording
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import Operand, Place, Program

RUN = "chasles_run"
HEAD = """define i64 @{name}(ptr noalias %state, ptr noalias %carried, ptr noalias %parameters,
    ptr noalias %saved, ptr noalias %pending, double %origin, double %step,
    i64 %first, i64 %last, i64 %end, i64 %every, i64 %first_row) {{
entry:
  %saves = sdiv i64 %first, %every
  %saves1 = add i64 %saves, 1
  %save0 = mul i64 %saves1, %every
  %looks = sdiv i64 %first, {look}
  %looks1 = add i64 %looks, 1
  %look0 = mul i64 %looks1, {look}
  %slot0 = sub i64 %saves1, %first_row
  store i64 0, ptr %pending
  %any = icmp slt i64 %first, %last
  br i1 %any, label %loop, label %nothing
nothing:
  ret i64 %first
loop:
  %index = phi i64 [ %first, %entry ], [ %next, %latch ]
  %save = phi i64 [ %save0, %entry ], [ %save1, %latch ]
  %slot = phi i64 [ %slot0, %entry ], [ %slot1, %latch ]
  %look = phi i64 [ %look0, %entry ], [ %look1, %latch ]
  %next = add i64 %index, 1
  %count0 = sitofp i64 %index to double
  %count1 = sitofp i64 %next to double
  %since0 = fmul double %step, %count0
  %since1 = fmul double %step, %count1
  %t0 = fadd double %origin, %since0
  %t1 = fadd double %origin, %since1
"""
SEE = """  %due = icmp eq i64 %next, %look
  %over = icmp eq i64 %next, %end
  %see = or i1 %due, %over
  %later = add i64 %look, {look}
  %look1 = select i1 %due, i64 %later, i64 %look
  br i1 %see, label %looking, label %keep
looking:
"""
KEEP = """  br label %keep
unseen:
  store i64 1, ptr %pending
  ret i64 %next
keep:
  %keeps = icmp eq i64 %next, %save
  br i1 %keeps, label %keeping, label %latch0
keeping:
  %row = mul i64 %slot, {kept}
  %into = getelementptr double, ptr %saved, i64 %row
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %into, ptr align 8 %state, i64 {bytes}, i1 false)
  %save2 = add i64 %save, %every
  %slot2 = add i64 %slot, 1
  br label %latch
latch0:
  br label %latch
latch:
  %save1 = phi i64 [ %save2, %keeping ], [ %save, %latch0 ]
  %slot1 = phi i64 [ %slot2, %keeping ], [ %slot, %latch0 ]
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret i64 %next
failed:
  ret i64 %index
}}
"""


def loaded(body: Body, array: str, count: int, used: Sequence[bool]) -> list[str]:
    """The entries of an array that are used."""
    words = []
    for k in range(count):
        if not used[k]:
            words.append("poison")
            continue
        place = body.put(f"getelementptr double, ptr %{array}, i64 {k}")
        words.append(body.put(f"load double, ptr {place}"))
    return words


def store(body: Body, array: str, words: Sequence[str], skip: Sequence[bool]) -> None:
    for k, word in enumerate(words):
        if not skip[k]:
            place = body.put(f"getelementptr double, ptr %{array}, i64 {k}")
            body.lines.append(f"  store double {word}, ptr {place}")


def used_inputs(program: Program) -> list[bool]:
    """Which inputs a program looks at."""
    asked: list[Operand] = [x for node in program.nodes for x in node.operands]
    asked += [x for guard in program.guards for x in (guard.left, guard.right)]
    asked += [x for k, x in enumerate(program.outputs) if x != Place(k)]
    indices = {x.index for x in asked if isinstance(x, Place)}
    return [k in indices for k in range(program.inputs)]


def run_ir(recording: Recording, kept: int, contract: bool = False) -> str:
    """The text of a module with `run`; the first `kept` numbers of a block are saved."""
    width, carried, parameters = recording.width, len(recording.carried), recording.parameters
    body = Body(contract=contract)
    program = scheduled(recording.step)
    used = used_inputs(program)
    inputs = loaded(body, "state", width, used) + ["%t0", "%t1"]
    inputs += loaded(body, "carried", carried, used[len(inputs) :])
    inputs += loaded(body, "parameters", parameters, used[len(inputs) :])
    outputs, holds = body.program(program, inputs)
    body.lines += [f"  br i1 {holds}, label %commit, label %failed", "commit:"]
    store(body, "state", outputs[:width], [x == Place(k) for k, x in enumerate(program.outputs)])
    behind = enumerate(program.outputs[width:])
    store(body, "carried", outputs[width:], [x == Place(width + 2 + k) for k, x in behind])
    body.lines.append(SEE.format(look=LOOK_EVERY).rstrip("\n"))
    look = scheduled(recording.look)
    used = used_inputs(look)
    inputs = loaded(body, "state", width, used) + ["%t1"]
    inputs += loaded(body, "parameters", parameters, used[len(inputs) :])
    outputs, holds = body.program(look, inputs)
    body.lines += [f"  br i1 {holds}, label %seen, label %unseen", "seen:"]
    store(body, "state", outputs, [x == Place(k) for k, x in enumerate(look.outputs)])
    text = HEAD.format(name=RUN, look=LOOK_EVERY) + "\n".join(body.lines) + "\n"
    text += KEEP.format(kept=kept, bytes=8 * kept)
    body.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    return text + "\n".join(sorted(body.declared)) + "\n"
