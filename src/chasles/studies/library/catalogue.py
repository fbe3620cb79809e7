"""All benchmarks by name."""

from collections.abc import Iterator

from chasles.model import UnknownName
from chasles.studies.library.benchmark import Benchmark
from chasles.studies.library.described import described, entries


class Library:
    """The benchmark mechanisms that come with chasles.

    Benchmarks are looked up by name: library["A01"]. Iterating gives all of them.

    Examples
    --------
    >>> library["a01"].title
    'Simple pendulum'
    >>> result = library.get("A01").run(until=0.01)
    >>> "A01" in library
    True
    """

    def __init__(self, benchmarks: tuple[Benchmark, ...]) -> None:
        self._by_lower = {benchmark.name.lower(): benchmark for benchmark in benchmarks}

    def names(self) -> tuple[str, ...]:
        """The names that `get` knows."""
        return tuple(benchmark.name for benchmark in self)

    def get(self, name: str) -> Benchmark:
        """The benchmark of a name.

        Parameters
        ----------
        name
            The name, such as "A01", in upper or lower case.

        Returns
        -------
        Benchmark
            The benchmark.
        """
        if name not in self:
            raise UnknownName.among("benchmark", name, self.names(), where="library")
        return self._by_lower[name.lower()]

    __getitem__ = get

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._by_lower

    def __iter__(self) -> Iterator[Benchmark]:
        return iter(self._by_lower.values())

    def __len__(self) -> int:
        return len(self._by_lower)

    def __repr__(self) -> str:
        return f"Library({', '.join(self.names())})"


library = Library(tuple(described(name) for name in entries()))
