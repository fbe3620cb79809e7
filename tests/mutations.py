"""Places of a source that can be broken, each in one way: an operator, a number, a statement.

A place is a piece of text and what stands there instead, so that the rest of the file, and the
numbers of its lines, stay.  Left out is what no test can notice: annotations, decorators, asserts,
words of messages, guards such as 1e-12 and 1e300, sizes such as 2**20, and plain numbers that a
module has by name (how many bytes a window has, which slot a field).
"""

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

OPPOSITE: dict[type, str] = {
    ast.Lt: ">", ast.LtE: ">", ast.Gt: "<", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
OTHER: dict[type, str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*"}
#: Calls that do not mind the order of their arguments, or that nobody could call the other way.
ANY_ORDER = {
    "add", "array_equal", "dot", "getattr", "hasattr", "hypot", "isinstance", "issubclass", "max",
    "maximum", "min", "minimum", "setattr",
}  # fmt: skip
#: Numbers outside of these are guards: what is within one is within its double.
SMALLEST, LARGEST = 1e-3, 1e6


class Place(NamedTuple):
    """A piece of a source, as bytes, and what is put there."""

    line: int
    begin: int
    end: int
    after: str
    what: str
    within: str  # the function or class that it is in

    def broken(self, source: bytes) -> bytes:
        return source[: self.begin] + self.after.encode() + source[self.end :]


class Finder(ast.NodeVisitor):
    """Collects places; what is left out is not visited."""

    def __init__(self, source: str) -> None:
        self.source = source.encode()
        self.places: list[Place] = []
        self.names: list[str] = []
        self.assigned: list[set[str]] = []  # per function, what has a value already
        self.starts = [0]
        for line in self.source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.visit(ast.parse(source))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        begin = self.starts[node.lineno - 1] + node.col_offset
        return begin, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        begin, end = self.span(node)
        return self.source[begin:end].decode()

    def add(self, node: ast.expr | ast.stmt, after: str, what: str) -> None:
        place = Place(node.lineno, *self.span(node), after, what, ".".join(self.names))
        self.places.append(place)

    def add_between(self, node: ast.expr, left: ast.expr, right: ast.expr, new: str) -> None:
        """An operator between two operands, brackets beside it left as they are."""
        begin, end = self.span(left)[1], self.span(right)[0]
        gap = self.source[begin:end].decode()
        old = gap.strip(" ()\n\\")
        if "#" in gap or gap.count(old) != 1:
            return
        at = begin + len(gap[: gap.index(old)].encode())
        within = ".".join(self.names)
        line = node.lineno + self.source[self.span(node)[0] : at].count(b"\n")
        self.places.append(
            Place(line, at, at + len(old.encode()), new, f"{old} becomes {new}", within)
        )

    # --- what is not looked into ---

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_Raise(self, node: ast.Raise) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.enter(node, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.enter(node, node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.body)

    def enter(self, node: ast.ClassDef | ast.FunctionDef, body: list[ast.stmt]) -> None:
        self.names.append(node.name)
        given = {a.arg for a in node.args.args} if isinstance(node, ast.FunctionDef) else set()
        self.assigned.append(given)
        for statement in body:
            self.visit(statement)
        self.assigned.pop()
        self.names.pop()

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self.negate(node.test)
        self.generic_visit(node)

    # --- what is broken ---

    def negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare):  # which is turned by itself
            self.add(test, f"(not ({self.text(test)}))", "a condition negated")

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, right, operator in zip(operands, operands[1:], node.ops):
            if "__name__" not in self.text(node):
                self.add_between(node, left, right, OPPOSITE[type(operator)])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Pow) and is_plain_number(node):  # a size, 2**20
            return
        if type(node.op) in OTHER and not is_of_text(node):
            self.add_between(node, node.left, node.right, OTHER[type(node.op)])
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.add(node, str(not value), f"{value} becomes {not value}")
        elif isinstance(value, int) and value <= LARGEST:
            self.add(node, str(value + 1), f"{self.text(node)} becomes {value + 1}")
        elif isinstance(value, float) and (value == 0.0 or SMALLEST <= value <= LARGEST):
            other = 2.0 * value or 1.0
            self.add(node, repr(other), f"{self.text(node)} becomes {other!r}")

    def visit_Call(self, node: ast.Call) -> None:
        name = ast.unparse(node.func).rpartition(".")[2]
        for left, right in zip(node.args, node.args[1:]):
            one, other = self.text(left), self.text(right)
            starred = isinstance(left, ast.Starred) or isinstance(right, ast.Starred)
            literal = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
            if name in ANY_ORDER or starred or literal or one == other or is_text(left):
                continue
            begin, end = self.span(left)[0], self.span(right)[1]
            between = self.source[self.span(left)[1] : self.span(right)[0]].decode()
            what = f"arguments {short(one)} and {short(other)} swapped"
            after = other + between + one
            within = ".".join(self.names)
            self.places.append(Place(left.lineno, begin, end, after, what, within))
        self.generic_visit(node)

    def drop(self, node: ast.stmt) -> None:
        if self.names:
            self.add(node, "pass", f"dropped: {short(ast.unparse(node))}")

    def visit_Continue(self, node: ast.Continue) -> None:
        self.drop(node)

    def visit_Break(self, node: ast.Break) -> None:
        self.drop(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.drop(node)
        else:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.drop(node)
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.drop(node)
        self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        known = self.assigned[-1] if self.assigned else set()
        names = {part.id for target in node.targets for part in ast.walk(target)
                 if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}  # fmt: skip
        if names <= known:  # a value that takes the place of another, or of an entry
            self.drop(node)
        known |= names
        if self.names or not is_plain_number(node.value):
            self.generic_visit(node)


def short(text: str, most: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 2] + ".."


def is_of_text(node: ast.AST) -> bool:
    """Whether texts, or lists as they are written, are joined or repeated rather than numbers."""
    if isinstance(node, ast.BinOp):
        return is_of_text(node.left) or is_of_text(node.right)
    return is_text(node) or isinstance(node, ast.List | ast.Tuple)


def is_text(node: ast.AST) -> bool:
    constant = node.value if isinstance(node, ast.Constant) else None
    return isinstance(node, ast.JoinedStr) or isinstance(constant, str | bytes)


def is_plain_number(node: ast.expr) -> bool:
    """2**20, or 0, 1, 2: a size or slots, which may well be others."""
    known = (ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop,
             ast.expr_context)  # fmt: skip
    return all(isinstance(part, known) for part in ast.walk(node)) or ast.unparse(node).startswith(
        "range("
    )


def places_of(source: str, is_wanted: Callable[[Place], bool] = lambda _: True) -> Iterator[Place]:
    """All places of a source, in the order of their lines."""
    yield from sorted(filter(is_wanted, Finder(source).places))
