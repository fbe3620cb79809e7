"""The adjoint of a step in LLVM IR: back along the steps of a run.

    void back(double *states, double *carried, double *parameters, double *seeds, double *weights,
              double *totals, double origin, double step, i64 first, i64 count)

goes from step first + count back to `first`: `states` (count, width) has the block before every
step, `seeds` (count, width) what is added to the weights of the block after it.  `weights` (width)
are those after the last step, and in the end those before the first; what comes back to parameters
is added up in `totals`.
"""

from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.loop_ir import WHEN
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import Program

BACK = "chasles_back"
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
{when}
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


def back_ir(program: Program, width: int, carried: int, parameters: int) -> str:
    """`back` of the adjoint of a step: (block, times, carried, parameters; weights)."""
    program = scheduled(program)
    body = Body(contract=True)
    seeds = [body.binary("fadd", body.load("weights", k), body.load("seed", k))
             for k in range(width)]  # fmt: skip
    at = width + 2
    inputs = body.inputs(program, width, ["%when0", "%when1"], carried, parameters)
    inputs += seeds + [body.constant(0.0)] * carried
    outputs, _ = body.program(program, inputs)
    for k in range(width):
        body.store("weights", k, outputs[k])
    for k, word in enumerate(outputs[at + carried : at + carried + parameters]):
        body.store("totals", k, body.binary("fadd", body.load("totals", k), word))
    lines = [HEAD.format(width=width, when=WHEN).rstrip("\n"), *body.lines, TAIL.format()]
    return "\n".join([*lines, *sorted(body.declared), ""])
