"""All benchmarks by name."""

from collections.abc import Iterator

from chasles.model import UnknownName
from chasles.studies.library import (
    andrews_squeezer,
    bennett,
    bricard,
    chain,
    flyball_governor,
    four_bar,
    heavy_top,
    n_four_bar,
    rolling_disc,
    satellite,
    simple_pendulum,
    slider_crank,
)
from chasles.studies.library.benchmark import Benchmark

#: In the order of listings; a mechanism has a module, and a module may have several sizes of it.
BENCHMARKS: tuple[Benchmark, ...] = (
    simple_pendulum.BENCHMARK,
    *n_four_bar.BENCHMARKS,
    andrews_squeezer.BENCHMARK,
    bricard.BENCHMARK,
    flyball_governor.BENCHMARK,
    slider_crank.BENCHMARK,
    slider_crank.SPHERICAL,
    rolling_disc.BENCHMARK,
    rolling_disc.UPRIGHT_BENCHMARK,
    heavy_top.BENCHMARK,
    heavy_top.SLOW_BENCHMARK,
    chain.BENCHMARK,
    chain.LONG,
    four_bar.BENCHMARK,
    bennett.BENCHMARK,
    satellite.BENCHMARK,
)


class Library:
    """The benchmark mechanisms that come with chasles.

    >>> library["a01"].title
    'Simple pendulum'
    >>> result = library.get("A01").run(until=0.01)
    >>> "A01" in library
    True
    """

    def __init__(self, benchmarks: tuple[Benchmark, ...]) -> None:
        self._by_name = {benchmark.name: benchmark for benchmark in benchmarks}

    def names(self) -> tuple[str, ...]:
        """The names that `get` knows."""
        return tuple(self._by_name)

    def get(self, name: str) -> Benchmark:
        """The benchmark of that name; upper and lower case are the same."""
        by_lower = {known.lower(): known for known in self._by_name}
        key = by_lower.get(name.lower()) if isinstance(name, str) else None
        if key is None:
            raise UnknownName.among("benchmark", name, self._by_name, where="library")
        return self._by_name[key]

    def __getitem__(self, name: str) -> Benchmark:
        return self.get(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in {known.lower() for known in self._by_name}

    def __iter__(self) -> Iterator[Benchmark]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return f"Library({', '.join(self._by_name)})"


library = Library(BENCHMARKS)
