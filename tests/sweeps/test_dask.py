"""Sweeps on the workers of a scheduler, some of which die."""

import os
import signal
import threading

import numpy as np
import pytest
from mechanisms import heavy_top
from test_sweep import one_by_one, slow_measure, without_times

import chasles as ch

distributed = pytest.importorskip("distributed")


def kill_workers(cluster, every, stop):
    while not stop.wait(every):
        alive = [w for w in cluster.workers.values() if w.process and w.process.process.is_alive()]
        if alive:
            os.kill(alive[0].process.process.pid, signal.SIGKILL)


def swept(workers, vary, every, **options):
    stop = threading.Event()
    with distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        killer = threading.Thread(target=kill_workers, args=(cluster, every, stop))
        killer.start()
        try:
            return ch.sweep(
                heavy_top(), vary, 0.01, 1e-3, executor=cluster.scheduler_address, progress=False,
                **options,
            )  # fmt: skip
        finally:
            stop.set()
            killer.join()


@pytest.mark.slow
def test_workers_of_a_scheduler_that_are_killed_lose_nothing():
    vary = {"top.mass": np.linspace(1, 2, 20).tolist()}
    sweep = swept(2, vary, 3.0, measure=slow_measure)
    expected = one_by_one(heavy_top(), vary, 0.01, 1e-3, measure=slow_measure)
    assert without_times(sweep) == without_times(expected)


@pytest.mark.slow
def test_two_thousand_runs_on_four_workers_with_one_killed_every_ten_seconds():
    vary = {"top.mass": np.linspace(1, 2, 2000).tolist()}
    sweep = swept(4, vary, 10.0, measure=slow_measure)
    expected = one_by_one(heavy_top(), vary, 0.01, 1e-3, measure=slow_measure)
    assert without_times(sweep) == without_times(expected)
