"""Adjoint programs in LLVM IR: back along the steps of a run, and one by one over a table.

    void back(double *states, double *carried, double *parameters, double *seeds, double *weights,
              double *totals, double origin, double step, i64 first, i64 count)

goes from step first + count back to `first`: `states` (count, width) has the block before every
step, `seeds` (count, width) what is added to the weights of the block after it.  `weights` (width)
are those after the last step, and in the end those before the first; what comes back to parameters
is added up in `totals`.

    void each(double *inputs, double *seeds, double *weights, i64 count)

does it for one row after the other, none of which depends on another.
"""

from collections.abc import Sequence

from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.loop_ir import used_inputs
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import Program

BACK, EACH = "chasles_back", "chasles_each"
HEAD = """define void @chasles_back(ptr noalias %states, ptr noalias %carried,
    ptr noalias %parameters, ptr noalias %seeds, ptr noalias %weights, ptr noalias %totals,
    double %origin, double %step, i64 %first, i64 %count) {{
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %left = phi i64 [ %count, %entry ], [ %k, %loop ]
  %k = sub i64 %left, 1
  %index = add i64 %first, %k
  %next = add i64 %index, 1
  %count0 = sitofp i64 %index to double
  %count1 = sitofp i64 %next to double
  %since0 = fmul double %step, %count0
  %since1 = fmul double %step, %count1
  %t0 = fadd double %origin, %since0
  %t1 = fadd double %origin, %since1
  %row = mul i64 %k, {width}
  %state = getelementptr double, ptr %states, i64 %row
  %seed = getelementptr double, ptr %seeds, i64 %row
"""
TAIL = """  %more = icmp sgt i64 %k, 0
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
EACH_HEAD = """define void @chasles_each(ptr noalias %inputs, ptr noalias %seeds,
    ptr noalias %weights, i64 %count) {{
entry:
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %k, 1
  %at = mul i64 %k, {inputs}
  %from = mul i64 %k, {seeds}
  %input = getelementptr double, ptr %inputs, i64 %at
  %seed = getelementptr double, ptr %seeds, i64 %from
  %weight = getelementptr double, ptr %weights, i64 %at
"""
EACH_TAIL = """  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def load(body: Body, array: str, k: int) -> str:
    place = body.put(f"getelementptr double, ptr %{array}, i64 {k}")
    return body.put(f"load double, ptr {place}")


def loads(body: Body, array: str, used: Sequence[bool]) -> list[str]:
    return [load(body, array, k) if asked else "poison" for k, asked in enumerate(used)]


def store(body: Body, array: str, k: int, word: str) -> None:
    place = body.put(f"getelementptr double, ptr %{array}, i64 {k}")
    body.lines.append(f"  store double {word}, ptr {place}")


def back_ir(program: Program, width: int, carried: int, parameters: int) -> str:
    """`back` of the adjoint of a step: (block, times, carried, parameters; weights)."""
    program = scheduled(program)
    body, used = Body(contract=True), used_inputs(program)
    seeds = [
        body.binary("fadd", load(body, "weights", k), load(body, "seed", k)) for k in range(width)
    ]
    at = width + 2
    inputs = [*loads(body, "state", used[:width]), "%t0", "%t1"]
    inputs += loads(body, "carried", used[at : at + carried])
    inputs += loads(body, "parameters", used[at + carried : at + carried + parameters])
    inputs += seeds + [body.constant(0.0)] * carried
    outputs, _ = body.program(program, inputs)
    for k in range(width):
        store(body, "weights", k, outputs[k])
    for k, word in enumerate(outputs[at + carried : at + carried + parameters]):
        store(body, "totals", k, body.binary("fadd", load(body, "totals", k), word))
    return module(HEAD.format(width=width), body, TAIL.format())


def each_ir(program: Program, count: int) -> str:
    """`each` of the adjoint of a program with so many inputs."""
    program = scheduled(program)
    body, used = Body(contract=True), used_inputs(program)
    seeds = program.inputs - count
    inputs = loads(body, "input", used[:count]) + loads(body, "seed", used[count:])
    outputs, _ = body.program(program, inputs)
    for k, word in enumerate(outputs):
        store(body, "weight", k, word)
    return module(EACH_HEAD.format(inputs=count, seeds=seeds), body, EACH_TAIL.format())


def module(head: str, body: Body, tail: str) -> str:
    return head + "\n".join(body.lines) + "\n" + tail + "\n".join(sorted(body.declared)) + "\n"
