"""Machine code is loaded from files that nobody else could have written."""

import hashlib
import os
import pickle
import shutil
import stat

import pytest
from test_startup import KERNEL, python

from chasles.compiled.cache import CHECK, why_not
from chasles.compiled.ownership import open_trusted

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
as_root = pytest.mark.skipif(
    os.name == "posix" and os.geteuid() != 0, reason="only root gives files away"
)
STRANGER = 54321


class Planted:
    """Runs a command when it is unpickled."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def given_away(file):
    os.chown(file, STRANGER, STRANGER)


def writable_for_the_group(file):
    file.chmod(0o664)


def writable_for_all(file):
    file.chmod(0o646)


def behind_a_link(file):
    aside = file.parent.parent / "aside"
    file.rename(aside)
    file.symlink_to(aside)


def in_a_folder_for_all(file):
    file.parent.chmod(0o777)


def in_a_folder_of_a_stranger(file):
    os.chown(file.parent, STRANGER, STRANGER)


FOREIGN = [
    pytest.param(given_away, marks=as_root),
    writable_for_the_group,
    writable_for_all,
    behind_a_link,
    in_a_folder_for_all,
    pytest.param(in_a_folder_of_a_stranger, marks=as_root),
]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A script with a kernel, its cache with a file that does harm, and the sign of the harm."""
    compiled = tmp_path_factory.mktemp("compiled")
    (compiled / "script.py").write_text(KERNEL)
    python(compiled / "script.py", compiled / "cache")
    assert stat.S_IMODE((compiled / "cache").stat().st_mode) == 0o700

    def plant(folder):
        script, cache, sign = folder / "script.py", folder / "cache", folder / "harmed"
        shutil.copytree(compiled, folder, dirs_exist_ok=True)
        (file,) = cache.iterdir()
        content = pickle.dumps(Planted(f"touch {sign}"))
        file.write_bytes(hashlib.sha256(content).digest() + content)
        return script, cache, file, sign

    return plant


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_file_that_somebody_else_could_have_written_is_never_loaded(planted, tmp_path, foreign):
    script, cache, file, sign = planted(tmp_path)
    foreign(file)
    run = python(script, cache)
    assert run.stdout == "42.0\n" and not sign.exists()
    assert "compiled a doubling" in run.stderr


def test_what_is_tried_here_would_do_harm(planted, tmp_path):
    """One's own files are trusted, as one's own Python is: that is the border."""
    script, cache, _, sign = planted(tmp_path)
    assert python(script, cache).stdout == "42.0\n" and sign.exists()


def test_a_folder_that_others_write_in_is_not_used_and_the_reason_is_given(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert f"others may write in {shared}" in why_not(shared)
    assert not list(shared.iterdir())


def test_files_beside_the_package_are_trusted_as_the_package_is(tmp_path):
    from chasles.compiled import ownership

    own = os.stat(ownership.__file__)
    file = tmp_path / "it.kernel"
    file.write_bytes(bytes(CHECK))
    if os.geteuid() == 0:
        os.chown(file, own.st_uid, own.st_gid)
    open_trusted(file, with_package=True).close()
    file.chmod(0o666)
    if not own.st_mode & 0o022:
        with pytest.raises(PermissionError):
            open_trusted(file, with_package=True)


def test_a_pipe_in_the_cache_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "it.kernel")
    with pytest.raises(OSError):
        open_trusted(tmp_path / "it.kernel")
