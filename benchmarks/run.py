"""Compare chasles with its peers: one run, one core, the best of several rounds.

    python benchmarks/run.py                 everything, a few minutes
    python benchmarks/run.py --quick         rough figures
    python benchmarks/run.py --only top --only chain
    python benchmarks/run.py --strict        exit with 1 unless every requirement is met
    python benchmarks/run.py --page          everything, and the page of the documentation from it
    python benchmarks/run.py --page --only top    that again, in what is stored for the page

Prints a table and writes results/latest.json; for the page, results/page.json as well.
"""

import argparse
import datetime
import json
import os
import platform
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "latest.json"
ENVIRONMENT = {
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
    ),
    "EXUDYN_MODULE": "fast",  # Exudyn's build without range checks
}
UNDISTURBED = 0.95  # share of a core below which other work has spoilt a case's figures
PACKAGES = ("numpy", "scipy", "numba", "llvmlite")


def main() -> int:
    os.environ.update(ENVIRONMENT)  # before anything numerical is imported
    import cases
    import libraries
    import startup
    from findings import Findings, Requirement

    options = parsed_options(list(cases.CASES))
    if hasattr(os, "sched_setaffinity"):  # one core, for child processes too
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    taking_part, notes = libraries.load()
    findings = Findings(notes=notes)
    if "chasles" in taking_part:
        try:
            startup.fill_cache()
        except RuntimeError as error:
            findings.notes.append(f"the cache was not filled: {error}")
    effort = cases.QUICK if options.quick else cases.FULL
    by_case = {}
    for name in options.only or cases.CASES:
        before = findings.sizes()
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        wall, processor = time.perf_counter(), processor_seconds()
        try:
            cases.CASES[name](taking_part, effort, findings)
        except Exception as error:  # one broken case must not hide the others
            findings.notes.append(f"{name} stopped: {type(error).__name__}: {error}")
            findings.requirements.append(Requirement(f"{name}: runs to its end", None, 0))
        share = (processor_seconds() - processor) / (time.perf_counter() - wall)
        if share < UNDISTURBED:
            findings.notes.append(f"{name} had its core for {share:.0%} of the time: repeat it")
        by_case[name] = findings.since(before)
    findings.notes += [f"{name} {lib.VERSION}: {lib.METHOD}" for name, lib in taking_part.items()]
    print(findings.as_text())
    record = {
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "effort": "quick" if options.quick else "full",
        "machine": machine(),
        "versions": versions() | {name: lib.VERSION for name, lib in taking_part.items()},
        "cases": by_case,
        "notes": findings.notes,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(record, indent=1) + "\n")
    if options.page:
        import page

        page.store(record, list(cases.CASES), anew=not options.only)
    return 1 if options.strict and not findings.all_passed else 0


def processor_seconds() -> float:
    """Processor time of this process and of the children it has waited for."""
    return sum(os.times()[:4])


def parsed_options(names: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare chasles with its peers.")
    parser.add_argument("--quick", action="store_true", help="rough figures")
    parser.add_argument("--only", action="append", choices=names, help="this case; repeatable")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md, too")
    parser.add_argument("--strict", action="store_true", help="fail unless all requirements pass")
    return parser.parse_args()


def machine() -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "registers": registers(),
        "cores": os.cpu_count(),
        "load average": [round(load, 2) for load in os.getloadavg()],
        "system": platform.platform(),
    }


def cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def registers() -> str:
    """How wide the vector registers are."""
    cpuinfo = Path("/proc/cpuinfo")
    flags = cpuinfo.read_text().split() if cpuinfo.exists() else []
    wide = {"avx512f": "AVX-512", "avx2": "AVX2", "sse2": "SSE2"}
    return next((name for flag, name in wide.items() if flag in flags), "not known")


def versions() -> dict[str, str]:
    return {"python": platform.python_version()} | {
        name: metadata.version(name) for name in PACKAGES
    }


if __name__ == "__main__":
    sys.exit(main())
