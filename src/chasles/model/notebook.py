"""What notebooks show: the tables that `print` shows, as HTML."""

import re
from html import escape

#: the rule below the head of a table of text: dashes with gaps between the columns
RULE = re.compile(r"^-+(?:  +-+)*$")


def as_html(text: str) -> str:
    """Tables of text as tables, everything else as it stands.

    >>> as_html("joint  gap\\n-----  ---\\nelbow  3.1")
    '<table><thead><tr><th>joint</th><th>gap</th></tr></thead><tbody><tr><td>elbow</td><td>3.1</td></tr></tbody></table>'
    """
    lines, at = text.split("\n"), 0
    parts: list[str] = []
    plain: list[str] = []
    while at < len(lines):
        if at + 1 < len(lines) and RULE.match(lines[at + 1]) and len(lines[at + 1]) > 3:
            parts += written(plain)
            plain = []
            starts = [found.start() for found in re.finditer(r"-+", lines[at + 1])]
            below = range(at + 2, len(lines))
            stop = next((k for k in below if not is_row(lines[k], starts)), len(lines))
            parts.append(table(lines[at], starts, lines[at + 2 : stop]))
            at = stop
        else:
            plain.append(lines[at])
            at += 1
    return "".join([*parts, *written(plain)])


def written(lines: list[str]) -> list[str]:
    said = "\n".join(lines).strip("\n")
    return [f"<pre>{escape(said)}</pre>"] if said.strip() else []


def is_row(line: str, starts: list[int]) -> bool:
    """Whether nothing is written between the columns."""
    return bool(line.strip()) and all(not line[k - 2 : k].strip() for k in starts[1:])


def table(head: str, starts: list[int], rows: list[str]) -> str:
    spans = list(zip(starts, [*starts[1:], None]))

    def cells(line: str, tag: str) -> str:
        inner = (escape(line[first:last].strip()) for first, last in spans)
        return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in inner) + "</tr>"

    body = "".join(cells(row, "td") for row in rows)
    return f"<table><thead>{cells(head, 'th')}</thead><tbody>{body}</tbody></table>"


def pairs(rows: list[tuple[str, str]]) -> str:
    """Two columns: what, and its value."""
    body = "".join(
        f"<tr><th>{escape(what)}</th><td>{escape(value)}</td></tr>" for what, value in rows
    )
    return f"<table><tbody>{body}</tbody></table>"
