"""Results as tables for other programs: .csv, .parquet, .mat and .npz.

Each kind is one function that fills a file; `WRITERS` knows them by the ending of the name.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from chasles.model import InvalidOption
from chasles.result.dataset import make_table

if TYPE_CHECKING:
    from pandas import DataFrame

    from chasles.result.result import Result

#: Lines of a text that are made at once.
LINES = 4096
#: The longest name in MATLAB, and words of its language that are no names.
LONGEST = 63
RESERVED = {"break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for",
            "function", "global", "if", "otherwise", "parfor", "persistent", "return", "spmd",
            "switch", "try", "while"}  # fmt: skip


#: What spreadsheets take for the beginning of a formula, which they run.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_text(cell: Any) -> Any:
    """A cell that spreadsheets show and do not run: names are those of a stranger's file."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def write_csv(result: "Result", file: BinaryIO) -> None:
    """Text with all digits: a line of names with units, then one per time."""
    table = result.frame()
    units, columns = table.attrs["units"], columns_of(table)
    file.write(in_csv([[as_text(f"{name} [{units[name]}]") for name in columns]]))
    for first in range(0, len(table), LINES):
        window = (column[first : first + LINES].tolist() for column in columns.values())
        file.write(in_csv([repr(x) for x in row] for row in zip(*window)))


def in_csv(rows: Iterable[list[str]]) -> bytes:
    text = StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def write_parquet(result: "Result", file: BinaryIO) -> None:
    """Columns by name; each has its unit as metadata, and pandas finds all of them in `attrs`."""
    if find_spec("pyarrow") is None:
        raise InvalidOption(
            "save: files of Parquet are written by pyarrow, which is not installed.",
            "pip install pyarrow, or save it as .csv, .npz or .nc.",
        )
    import pyarrow
    from pyarrow import parquet

    table = result.frame()
    units, columns = table.attrs["units"], columns_of(table)
    fields = [
        pyarrow.field(name, pyarrow.float64(), nullable=False, metadata={"unit": units[name]})
        for name in columns
    ]
    about = {
        "PANDAS_ATTRS": json.dumps({"units": units}),  # which pandas.read_parquet puts back
        "provenance": json.dumps(result.provenance.as_dict()),
    }
    schema = pyarrow.schema(fields, metadata=about)
    parquet.write_table(pyarrow.table(list(columns.values()), schema=schema), file)


def write_mat(result: "Result", file: BinaryIO) -> None:
    """Column vectors with names that MATLAB allows; `names` and `units` have the original ones."""
    from scipy.io import savemat  # late: an import of chasles leaves it asleep

    table = result.frame()
    units, columns = table.attrs["units"], columns_of(table)
    called = dict(zip(columns, matlab_names(columns, {"names", "units"})))
    content: dict[str, Any] = {called[name]: values for name, values in columns.items()}
    content["names"] = {called[name]: name for name in columns}
    content["units"] = {called[name]: units[name] for name in columns}
    savemat(file, content, long_field_names=True, oned_as="column", do_compression=True)


def matlab_names(names: Iterable[str], taken: set[str]) -> Iterator[str]:
    """Letters, digits and underscores, none of them twice: "top.x" as top_x."""
    used = set(taken)
    for name in names:
        word = re.sub(r"[^A-Za-z0-9_]", "_", name)[:LONGEST]
        if not word[:1].isalpha() or word in RESERVED:
            word = f"x_{word}"[:LONGEST]
        unique, number = word, 2
        while unique in used:
            unique = f"{word[: LONGEST - 1 - len(str(number))]}_{number}"
            number += 1
        used.add(unique)
        yield unique


def write_npz(result: "Result", file: BinaryIO) -> None:
    """The arrays of `to_xarray` by their names, and the names along their dimensions: numbers and
    text only, nothing that would have to be unpickled.
    """
    table = make_table(result)
    content: dict[str, Any] = {}
    for name, (_, values, described) in (table.coordinates | table.variables).items():
        called = "t" if name == "time" else name
        content[called] = np.asarray(values)
        if "units" in described:
            content[f"units of {called}"] = np.array(described["units"])
    content |= {f"about {name}": np.array(value) for name, value in table.attributes.items()}
    np.savez(file, **content)


def columns_of(table: "DataFrame") -> dict[str, Any]:
    """The time, then every column, in the order of the table."""
    columns = {str(name): table[name].to_numpy() for name in table.columns}
    return {"t": table.index.to_numpy(), **columns}


#: What fills a file, by the ending of its name; NetCDF, which can be loaded, has its own way.
WRITERS: dict[str, Callable[["Result", BinaryIO], None]] = {
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".mat": write_mat,
    ".npz": write_npz,
}

#: How each is read elsewhere.
READERS = {
    ".csv": "pandas.read_csv({}, index_col=0)",
    ".parquet": "pandas.read_parquet({}).set_index('t')",
    ".mat": "scipy.io.loadmat({})",
    ".npz": "numpy.load({})",
}
