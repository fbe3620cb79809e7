"""What is written is the whole file, or the file as it was: films, pictures and pages alike."""

import errno
import os

import pytest
from mechanisms import pendulum

import chasles as ch
from chasles.result import atomic_file


@pytest.fixture(scope="module")
def result() -> ch.Result:
    return ch.simulate(pendulum(), until=0.1, step=1e-2)


WRITERS = {
    **{end: lambda run, path: run.save(path) for end in ("nc", "csv", "mat", "npz")},
    "html": lambda run, path: run.animate(path),
    "gif": lambda run, path: run.animate(path, size=(120, 90), fps=10),
    "glb": lambda run, path: run.animate(path),
    "page.html": lambda run, path: ch.export(run.model, path, step=1e-2),
    "png": lambda run, path: run.plot("hinge", path=path),
    "svg": lambda run, path: run.plot("hinge", path=path),
    "model.png": lambda run, path: run.model.plot(path),
}


@pytest.mark.parametrize("end", WRITERS)
def test_a_full_disk_is_told_and_leaves_the_file_that_was_there(end, result, tmp_path, monkeypatch):
    target = tmp_path / f"mine.{end}"
    target.write_text("what was there before")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic_file.os, "fsync", full)
    with pytest.raises(ch.ChaslesError, match="No space left on device"):
        WRITERS[end](result, target)
    assert target.read_text() == "what was there before"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    monkeypatch.undo()
    WRITERS[end](result, target)
    assert target.stat().st_size > 100
