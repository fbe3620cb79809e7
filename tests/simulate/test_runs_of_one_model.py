"""What runs of one model share: everything that depends on the model alone, and no scratch."""

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from mechanisms import straight_chain

import chasles as ch
from chasles.build.problem import choose_spaces, make_problem

#: Two rods on balls.
pair_of_rods = partial(straight_chain, (2.0, 2.0), kind=ch.Spherical)


def states(model: ch.Model, **options) -> np.ndarray:
    return ch.simulate(model, until=0.2, step=1e-3, progress=False, **options).absolute


def test_a_second_run_finds_the_problem_of_the_first_and_gives_the_same_bits():
    model = pair_of_rods()
    one, two = (ch.simulate(model, until=0.2, step=1e-3, progress=False) for _ in range(2))
    assert one.problem is two.problem
    assert np.array_equal(one.absolute, two.absolute)
    assert np.array_equal(
        one.absolute, states(pair_of_rods())
    )  # nor does it matter that it was kept


@pytest.mark.parametrize("stabilise", [None, "projection of all joints", "ggl of all joints"])
def test_runs_of_one_model_at_the_same_time_do_not_meet(stabilise):
    model = pair_of_rods()
    alone = states(model, stabilise=stabilise)
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(states, model, stabilise=stabilise) for _ in range(12)]
        assert all(np.array_equal(run.result(), alone) for run in runs)


def test_other_options_and_another_start_are_another_problem():
    model = pair_of_rods()
    problem = make_problem(choose_spaces(model, "auto"))
    result = ch.simulate(model, until=0.01, step=1e-3, progress=False)
    assert result.problem is problem
    for options in ({"spaces": "SE3"}, {"acceleration": "space"}, {"singular": "pass"}):
        other = ch.simulate(model, until=0.01, step=1e-3, progress=False, **options)
        assert other.problem is not problem
    again = ch.simulate(model, until=0.01, step=1e-3, progress=False, start=result.state())
    assert again.problem is not problem
    assert ch.simulate(model, until=0.01, step=1e-3, progress=False).problem is problem


def test_functions_of_users_are_asked_again():
    """They may answer otherwise: what they said is not kept with the model."""
    push = {"N": 1.0}
    upper = ch.Body.rod("upper", length=1.0, mass=2.0, position=(0.5, 0, 0))
    load = ch.Load("push", upper, force=lambda t: (0.0, 0.0, push["N"]))
    model = ch.Model([upper], forces=[load], gravity=(0, 0, 0))
    risen = states(model)[-1, 0, 11]
    push["N"] = 2.0
    assert states(model)[-1, 0, 11] == pytest.approx(2.0 * risen, rel=1e-12)


def test_what_is_kept_goes_with_its_model():
    model = pair_of_rods()
    result = ch.simulate(model, until=0.01, step=1e-3, progress=False)
    arrays = weakref.ref(result.problem.setup.system.bodies.mass)
    del model, result
    gc.collect()
    assert arrays() is None


def test_copies_of_models_and_results_keep_what_is_theirs():
    model = pair_of_rods()
    result = ch.simulate(model, until=0.01, step=1e-3, progress=False)
    for copied in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert copied == model and "_kept" not in vars(copied)
        assert ch.simulate(copied, until=0.01, step=1e-3, progress=False).problem.model is copied
    again = pickle.loads(pickle.dumps(result))
    solver = again.problem.solver  # and what kernels take of it are its own arrays
    assert np.array_equal(solver.start, result.problem.solver.start)
    lent = again.problem.setup.lent
    assert getattr(lent, "record", lent) is again.problem.setup.system
