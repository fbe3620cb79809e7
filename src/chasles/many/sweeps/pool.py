"""Who makes the runs: processes here, an executor of the user's, or the workers of a scheduler."""

import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from multiprocessing import connection, current_process, get_context, parent_process
from typing import Any

from chasles.model import ChaslesError, InvalidOption
from chasles.model.checks import checked_count
from chasles.model.errors import one_line, short_repr

#: Runs handed out per worker: enough that none waits, few enough that memory does not grow.
AHEAD = 4
#: So many workers may die over a run before it is blamed.
MOST_LOSSES = 20
#: Seconds to wait for a scheduler.
PATIENCE = 10.0


class Crew:
    """Who runs are handed to: an executor that others made, and own.

    `close` lets go of what was opened to reach it; the executor is left to its owner.
    """

    def __init__(
        self, executor: Executor, workers: int, close: Callable[[], None] = lambda: None
    ) -> None:
        self.executor, self.workers, self.close = executor, workers, close

    def submit(self, work: Callable[[Any], Any], task: Any) -> tuple[Future[Any], Any]:
        """Hand a run out; and who has it, as far as is known."""
        return self.executor.submit(work, task), None

    def renew(self, worker: Any) -> None:
        """After a worker has died: who owns the executor replaces it."""


class LocalCrew(Crew):
    """Processes of our own, each with its own queue: one that dies takes no other with it."""

    def __init__(self, workers: int, hides: bool) -> None:
        self.workers, self.hides = workers, hides
        self.context = get_context("spawn")
        self.started = self.context.Event()  # some process has imported all that it needs
        self.pools = [self.make() for _ in range(workers)]
        self.handed: list[int] = [0] * workers  # runs that a process has not given back

    def make(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            1, mp_context=self.context, initializer=begin, initargs=(self.started,)
        )

    def submit(self, work: Callable[[Any], Any], task: Any) -> tuple[Future[Any], Any]:
        """Processes are started then, without the user's script if they have no use for it."""
        k = min(range(self.workers), key=self.handed.__getitem__)
        pool = self.pools[k]
        with hidden_script() if self.hides else nullcontext():
            try:
                future = pool.submit(work, task)
            except BrokenProcessPool:  # it died with nothing to do
                self.renew(pool)
                return self.submit(work, task)
        self.handed[k] += 1
        future.add_done_callback(lambda _: self.take_back(pool))
        return future, pool

    def take_back(self, pool: Any) -> None:
        if pool in self.pools:
            self.handed[self.pools.index(pool)] -= 1

    def renew(self, worker: Any) -> None:
        if not self.hides and not self.started.is_set():
            raise script_needs_a_guard()
        if worker in self.pools:  # otherwise it was replaced already
            k = self.pools.index(worker)
            self.pools[k], self.handed[k] = self.make(), 0
            worker.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        for pool in self.pools:
            pool.shutdown(wait=True, cancel_futures=True)


def begin(started: Any) -> None:
    """A worker has started: the user's script, if it needs that, ran without an error."""
    started.set()
    end_with_parent()


def end_with_parent() -> None:
    """A worker ends when the process that started it does, however that ended, run or no run.

    Otherwise it finishes its run and then waits for the next one forever: it holds the other end of
    its own queue.
    """
    parent = parent_process()
    assert parent is not None

    def wait_for_parent() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=wait_for_parent, daemon=True).start()


@contextmanager
def hidden_script() -> Iterator[None]:
    """New processes do not run the script that made them: it needs no guard by `__main__`."""
    main, kept = sys.modules["__main__"], {}
    for name in ("__file__", "__spec__"):
        if hasattr(main, name):
            kept[name] = getattr(main, name)
    try:
        main.__spec__ = None
        main.__dict__.pop("__file__", None)
        yield
    finally:
        for name, value in kept.items():
            setattr(main, name, value)


def make_crew(executor: Any, workers: Any, parts: Mapping[str, Any]) -> Crew:
    """The crew that was asked for, for runs made of these parts: name in messages -> value."""
    if executor is None:
        if workers is not None:
            workers = checked_count(workers, "workers", None, "sweep", InvalidOption)
        if getattr(current_process(), "_inheriting", False):  # a worker that runs the script now
            raise script_needs_a_guard()
        return LocalCrew(workers or os.cpu_count() or 1, hides=not use_the_script(parts))
    if isinstance(executor, str):
        return dask_crew(executor)
    if not isinstance(executor, Executor):
        raise InvalidOption(
            f"sweep: executor must be an Executor or the address of a scheduler, got"
            f" {short_repr(executor)}.",
            'Give one of concurrent.futures, or "tcp://host:8786", or leave it out.',
        )
    return Crew(executor, getattr(executor, "_max_workers", os.cpu_count() or 1))


def use_the_script(parts: Mapping[str, Any]) -> bool:
    """Whether new processes must run the user's script, to find functions that it defines."""
    using = [what for what, part in parts.items() if b"__main__" in sent(part, what)]
    if not using:
        return False
    main = sys.modules["__main__"]
    if getattr(main, "__spec__", None) is None and not os.path.isfile(
        getattr(main, "__file__", None) or ""
    ):
        raise InvalidOption(
            f"sweep: {using[0]} has a function that was defined in this session, where other"
            " processes do not find it.",
            f"Write it into a module and import it. {WITH_THREADS}",
        )
    return True


def sent(part: Any, what: str) -> bytes:
    """A part as other processes get it."""
    try:
        return pickle.dumps(part)
    except Exception as error:  # of several classes
        raise InvalidOption(
            f"sweep: {what} cannot be sent to other processes: {one_line(error)}.",
            "Define its functions by `def`, not by lambda and not inside of another function."
            f" {WITH_THREADS}",
        ) from error


WITH_THREADS = "Or use threads: executor=concurrent.futures.ThreadPoolExecutor(4)."


def script_needs_a_guard() -> ChaslesError:
    return ChaslesError(
        "sweep: its worker processes run this script first, to find the functions that it defines,"
        " and the script did not end there without an error.",
        'Put everything but imports and definitions under `if __name__ == "__main__":`.'
        f" {WITH_THREADS}",
    )


def dask_crew(address: str) -> Crew:
    """The workers of a Dask scheduler."""
    try:
        from distributed import Client
    except ImportError as missing:
        raise InvalidOption(
            f"sweep: the scheduler '{address}' needs dask.distributed, which is not installed.",
            "Install it: pip install distributed.",
        ) from missing
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise InvalidOption(
            f"sweep: no scheduler answers at '{address}': {error}.",
            "Start one with `dask scheduler`, and give the address that it prints.",
        ) from error
    threads = max(1, sum(client.nthreads().values()))
    return Crew(client.get_executor(pure=False), threads, client.close)


def is_lost_worker(error: BaseException) -> bool:
    """Whether a worker died, rather than its run."""
    return isinstance(error, BrokenProcessPool) or type(error).__name__ in (
        "KilledWorker", "CommClosedError", "CancelledError", "FutureCancelledError",
    )  # fmt: skip


@dataclass
class RunningTask:
    """A run that was handed out: to whom, and how often its worker died over it."""

    task: Any
    deaths: int = 0
    worker: Any = None


def carried_out(
    crew: Crew, tasks: Iterator[Any], work: Callable[[Any], dict[str, Any]]
) -> Iterator[list[dict[str, Any]]]:
    """The records of all tasks, as they come; those whose worker died are handed out again."""
    running: dict[Future[Any], RunningTask] = {}
    again: list[RunningTask] = []
    while True:
        while len(running) < AHEAD * crew.workers:
            following = again.pop() if again else next_of(tasks)
            if following is None:
                break
            future, following.worker = crew.submit(work, following.task)
            running[future] = following
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        records, blamed = [], set()
        for future in [f for f in running if f in done]:  # as they were handed out
            handed = running.pop(future)
            error = BrokenProcessPool() if future.cancelled() else future.exception()
            if error is None:
                records.append(future.result())
                continue
            if not is_lost_worker(error):
                raise error
            if id(handed.worker) not in blamed:  # the first was being run, the others waited
                blamed.add(id(handed.worker))
                handed.deaths += 1
                crew.renew(handed.worker)
            if handed.deaths > MOST_LOSSES:
                raise ChaslesError(
                    f"sweep: run {handed.task.number} killed {handed.deaths} workers.",
                    "Look at it alone: it may need more memory than there is.",
                ) from error
            again.append(handed)
        if records:
            yield records


def next_of(tasks: Iterator[Any]) -> RunningTask | None:
    task = next(tasks, None)
    return None if task is None else RunningTask(task)
