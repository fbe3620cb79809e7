"""The answer at the head of the page."""

from chasles.integrators.tableaux import METHODS
from chasles.studies.paper import beyond
from chasles.studies.paper.claims.rules import ONLY_IF, Claim
from chasles.studies.paper.examples import EXAMPLES
from chasles.studies.paper.study import Study
from chasles.studies.paper.words import filled, words


def answer(study: Study, claims: list[Claim]) -> list[str]:
    """Three sentences, with the figures of this run."""
    texts, options = words()["page"]["answer"], study.options
    if not all(study.has(key) for key, example in EXAMPLES.items() if example.in_paper):
        names = ", ".join(EXAMPLES[key].title.lower() for key in options.chosen)
        return [filled(texts["part"], {"names": names})]
    tops, pair = study.pair("heavy-top"), study.pair(beyond.boosted_name(beyond.BOOST))
    energy = next(claim for claim in claims if claim.key == "top-energy")
    ratio = tops[1].energy_drift() / tops[0].energy_drift()
    numbers = {
        "gaps": {s: o.gap("joint 2") for s, o in study.shown("double-pendulum").items()},
        "top": [o.gap("pivot") for o in tops],
        "tried": f"with {options.method}",
        "finest": "",
        "mixing": "",
        "boost": beyond.BOOST,
        "wider": pair[0].gap("joint") / pair[1].gap("joint"),
    }
    if not options.quick:
        finest = study.run("heavy-top", "SO3xR3", method="dop853").gap("pivot")
        numbers["tried"] = f"rounding with each of the {len(METHODS)} tableaux tried"
        numbers["finest"] = filled("; {gap:m} with dop853", {"gap": finest})
    if energy.verdict == ONLY_IF:
        numbers["mixing"] = (
            f"with the printed equations the top's energy drifts {ratio:.1f} times less on it, not"
            " a hundred times, "
        )
    return [filled(texts[name], numbers) for name in ("subgroups", "finding", "conclusions")]
