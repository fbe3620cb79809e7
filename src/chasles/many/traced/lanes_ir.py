"""The time loop around a recorded step for several systems at once, one in each lane of a register.

    void packs(double *states, double *carried, double *parameters, double *saved, i64 *reached,
               i64 *pending, double *observed, i64 first_pack, i64 last_pack, i64 rows,
               double origin, double step, i64 first, i64 last, i64 end, i64 every, i64 first_row)

A pack is as many systems as there are lanes.  Arrays are (packs, numbers, lanes); of `saved`
(packs, rows, kept, lanes).  A lane whose guard fails stops where it is and says which step it has
reached, as in `loop_ir`; the others go on.  Operations are those of one system, lane by lane: so
are the bits.

`observed` is (packs, quantities, ACCUMULATED, lanes): of every quantity that is observed its
largest and smallest value so far, the sum, and the value at the end.
"""

from collections.abc import Sequence

from chasles.integrators.advance import LOOK_EVERY
from chasles.many.traced.llvm_ir import Body
from chasles.many.traced.loop_ir import used_inputs
from chasles.many.traced.record import Recording
from chasles.many.traced.schedule import scheduled
from chasles.scalars.nodes import Place, Program

PACKS = "chasles_packs"
#: Largest, smallest, sum, last.
ACCUMULATED = 4
WRAPPER = """define void @{name}(ptr %states, ptr %carried, ptr %parameters, ptr %saved,
    ptr %reached, ptr %pending, ptr %observed, i64 %first_pack, i64 %last_pack, i64 %rows,
    double %origin, double %step, i64 %first, i64 %last, i64 %end, i64 %every,
    i64 %first_row) {{
entry:
  %any = icmp slt i64 %first_pack, %last_pack
  br i1 %any, label %loop, label %done
loop:
  %pack = phi i64 [ %first_pack, %entry ], [ %next, %loop ]
  %s = mul i64 %pack, {state}
  %c = mul i64 %pack, {carried}
  %p = mul i64 %pack, {parameters}
  %row = mul i64 %rows, {saved}
  %h = mul i64 %pack, %row
  %r = mul i64 %pack, {lanes}
  %o = mul i64 %pack, {observed}
  %state1 = getelementptr double, ptr %states, i64 %s
  %carried1 = getelementptr double, ptr %carried, i64 %c
  %parameters1 = getelementptr double, ptr %parameters, i64 %p
  %saved1 = getelementptr double, ptr %saved, i64 %h
  %reached1 = getelementptr i64, ptr %reached, i64 %r
  %pending1 = getelementptr i64, ptr %pending, i64 %r
  %observed1 = getelementptr double, ptr %observed, i64 %o
  call void @pack(ptr %state1, ptr %carried1, ptr %parameters1, ptr %saved1, ptr %reached1,
    ptr %pending1, ptr %observed1, double %origin, double %step, i64 %first, i64 %last, i64 %end,
    i64 %every, i64 %first_row)
  %next = add i64 %pack, 1
  %more = icmp slt i64 %next, %last_pack
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
HEAD = """define internal void @pack(ptr noalias %state, ptr noalias %carried,
    ptr noalias %parameters, ptr noalias %saved, ptr noalias %reached, ptr noalias %pending,
    ptr noalias %observed, double %origin, double %step, i64 %first, i64 %last, i64 %end,
    i64 %every, i64 %first_row) {{
entry:
  %saves = sdiv i64 %first, %every
  %saves1 = add i64 %saves, 1
  %save0 = mul i64 %saves1, %every
  %looks = sdiv i64 %first, {look}
  %looks1 = add i64 %looks, 1
  %look0 = mul i64 %looks1, {look}
  %slot0 = sub i64 %saves1, %first_row
  store {whole} {zeros}, ptr %pending, align 8
  store {whole} {last}, ptr %reached, align 8
  %any = icmp slt i64 %first, %last
  br i1 %any, label %loop, label %done
loop:
  %index = phi i64 [ %first, %entry ], [ %next, %latch ]
  %save = phi i64 [ %save0, %entry ], [ %save1, %latch ]
  %slot = phi i64 [ %slot0, %entry ], [ %slot1, %latch ]
  %look = phi i64 [ %look0, %entry ], [ %look1, %latch ]
  %alive = phi {bits} [ {true}, %entry ], [ %alive3, %latch ]
  %next = add i64 %index, 1
  %count0 = sitofp i64 %index to double
  %count1 = sitofp i64 %next to double
  %since0 = fmul double %step, %count0
  %since1 = fmul double %step, %count1
  %when0 = fadd double %origin, %since0
  %when1 = fadd double %origin, %since1
"""
AFTER = """  br label %after
after:
  %alive2 = phi {bits} [ %alive, %commit ], [ %alive1, %partly ]
  %due = icmp eq i64 %next, %look
  %over = icmp eq i64 %next, %end
  %see = or i1 %due, %over
  %later = add i64 %look, {look}
  %look1 = select i1 %due, i64 %later, i64 %look
  br i1 %see, label %looking, label %unseen
unseen:
  br label %keep
looking:
"""
KEEP = """  br label %seen
seen:
  %alive4 = phi {bits} [ %alive2, %seeall ], [ %alive5, %seesome ]
  br label %keep
keep:
  %alive3 = phi {bits} [ %alive2, %unseen ], [ %alive4, %seen ]
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
  %living = bitcast {bits} %alive3 to {mask}
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

    def address(self, array: str, k: int) -> str:
        return self.put(f"getelementptr double, ptr %{array}, i64 {k * self.lanes}")

    def load(self, array: str, k: int) -> str:
        return self.put(f"load {self.kind}, ptr {self.address(array, k)}, align 8")

    def loaded(self, array: str, used: Sequence[bool]) -> list[str]:
        return [self.load(array, k) if asked else "poison" for k, asked in enumerate(used)]

    def store(self, array: str, k: int, word: str, mask: str = "") -> None:
        """All lanes, or those of a mask."""
        if mask:
            word = self.select(mask, word, self.load(array, k))
        place = self.address(array, k)
        self.lines.append(f"  store {self.kind} {word}, ptr {place}, align 8")

    def splat(self, word: str, kind: str = "double") -> str:
        """The same number in all lanes."""
        vector = f"<{self.lanes} x {kind}>"
        one = self.put(f"insertelement {vector} poison, {kind} {word}, i32 0")
        mask = f"<{self.lanes} x i32> zeroinitializer"
        return self.put(f"shufflevector {vector} {one}, {vector} poison, {mask}")

    def stop(self, lanes: str, array: str, word: str) -> None:
        """Write an integer for some lanes."""
        whole = f"<{self.lanes} x i64>"
        old = self.put(f"load {whole}, ptr %{array}, align 8")
        new = self.put(
            f"select {self.bits} {lanes}, {whole} {self.splat(word, 'i64')}, {whole} {old}"
        )
        self.lines.append(f"  store {whole} {new}, ptr %{array}, align 8")

    def word_of(self, name: str, instruction: str) -> None:
        """An instruction whose result has a name of its own."""
        self.lines.append(f"  %{name} = {instruction}")

    @property
    def mask(self) -> str:
        return f"i{self.lanes}"

    @property
    def true(self) -> str:
        return "<" + ", ".join(["i1 true"] * self.lanes) + ">"


def stores(outputs: Sequence[str], program: Program, width: int) -> list[tuple[str, int, str]]:
    """(array, entry, word) of all outputs that differ from their inputs."""
    found = []
    for k, (word, place) in enumerate(zip(outputs, program.outputs, strict=True)):
        if k < width and place != Place(k):
            found.append(("state", k, word))
        elif k >= width and place != Place(k + 2):  # the two times are inputs, too
            found.append(("carried", k - width, word))
    return found


def branch(
    body: Lanes, written: Sequence[tuple[str, int, str]], holds: str, alive: str,
    labels: tuple[str, str, str], stopped: Sequence[tuple[str, str]],
) -> None:  # fmt: skip
    """Store for all lanes, or for those that are alive and whose guards hold.

    labels   of the block for all, of that for some, and of who is alive after it
    stopped  (array, integer) to be written for the others that were alive
    """
    everyone, some, living = labels
    body.word_of(living, f"and {body.bits} {alive}, {holds}")
    packed = body.put(f"bitcast {body.bits} %{living} to {body.mask}")
    full = body.put(f"icmp eq {body.mask} {packed}, -1")
    body.lines += [f"  br i1 {full}, label %{everyone}, label %{some}", f"{some}:"]
    others = body.put(f"xor {body.bits} {holds}, {body.true}")
    newly = body.put(f"and {body.bits} {alive}, {others}")
    for array, word in stopped:
        body.stop(newly, array, word)
    for array, k, word in written:
        body.store(array, k, word, f"%{living}")


def packs_ir(
    recording: Recording, kept: int, lanes: int, contract: bool = False,
    observe: Program | None = None,
) -> str:  # fmt: skip
    """The text of a module with `packs`."""
    width, carried, parameters = recording.width, len(recording.carried), recording.parameters
    body = Lanes(lanes, contract)
    program = scheduled(recording.step)
    used = used_inputs(program)
    at = width + 2
    times = [body.splat("%when0"), body.splat("%when1")]
    inputs = [*body.loaded("state", used[:width]), *times]
    inputs += body.loaded("carried", used[at : at + carried])
    inputs += body.loaded("parameters", used[at + carried :])
    outputs, holds = body.program(program, inputs)
    written = stores(outputs, program, width)
    branch(body, written, holds, "%alive", ("commit", "partly", "alive1"), [("reached", "%index")])
    body.lines += ["  br label %after", "commit:"]
    for array, k, word in written:
        body.store(array, k, word)
    words = {"bits": body.bits, "mask": body.mask, "look": LOOK_EVERY}
    body.lines.append(AFTER.format(**words).rstrip("\n"))
    program = scheduled(recording.look)
    used = used_inputs(program)
    inputs = [*body.loaded("state", used[:width]), body.splat("%when1")]
    inputs += body.loaded("parameters", used[width + 1 :])
    outputs, holds = body.program(program, inputs)
    written = stores(outputs, program, width)
    stopped = [("reached", "%next"), ("pending", "1")]
    branch(body, written, holds, "%alive2", ("seeall", "seesome", "alive5"), stopped)
    body.lines += ["  br label %seen", "seeall:"]
    for array, k, word in written:
        body.store(array, k, word)
    body.lines.append(KEEP.format(**words).rstrip("\n"))
    quantities = keep(body, kept, observe, recording)
    body.lines.append(LATCH.format(**words).rstrip("\n"))
    body.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    whole = f"<{lanes} x i64>"
    head = HEAD.format(**words, whole=whole, zeros="zeroinitializer", last="%lasts", true=body.true)
    before = Lanes(lanes, prefix="e")
    last = before.splat("%last", "i64")
    head = head.replace("%lasts", last).replace(
        "entry:\n", "entry:\n" + "\n".join(before.lines) + "\n"
    )
    wrapper = WRAPPER.format(
        name=PACKS, state=width * lanes, carried=carried * lanes, parameters=parameters * lanes,
        saved=kept * lanes, lanes=lanes, observed=quantities * ACCUMULATED * lanes,
    )  # fmt: skip
    text = head + "\n".join(body.lines) + "\n" + wrapper
    return text + "\n".join(sorted(body.declared)) + "\n"


def keep(body: Lanes, kept: int, observe: Program | None, recording: Recording) -> int:
    """Save the points, or what is observed of them; how many quantities these are."""
    if observe is None:
        row = body.put(f"mul i64 %slot, {kept * body.lanes}")
        into = body.put(f"getelementptr double, ptr %saved, i64 {row}")
        copy = "call void @llvm.memcpy.p0.p0.i64"
        count = 8 * kept * body.lanes
        body.lines.append(
            f"  {copy}(ptr align 8 {into}, ptr align 8 %state, i64 {count}, i1 false)"
        )
        return 0
    width = recording.width
    used = used_inputs(observe)
    inputs = [*body.loaded("state", used[:width]), body.splat("%when1")]
    inputs += body.loaded("parameters", used[width + 1 :])
    outputs, _ = body.program(observe, inputs)
    for k, word in enumerate(outputs):
        at = k * ACCUMULATED
        largest, smallest = body.load("observed", at), body.load("observed", at + 1)
        total = body.binary("fadd", body.load("observed", at + 2), word)
        for place, value in enumerate(
            (body.maximum(largest, word), body.minimum(smallest, word), total, word)
        ):
            body.store("observed", at + place, value, "%alive3")
    return len(outputs)
