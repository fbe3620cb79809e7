"""`simulate`: a run with a step, with tolerances, or to an accuracy of the motion."""

from chasles.result.result import Result
from chasles.run.accuracy import to_accuracy
from chasles.run.one_run import integrate
from chasles.run.options import Options, is_auto, takes


@takes(Options)
def simulate(options: Options) -> Result:
    """Simulate a model from t = 0 to `until`.

    Parameters
    ----------
    {options}

    Returns
    -------
    Result
        The states at the saved times, reactions, energies, plots and films.

    Raises
    ------
    ChaslesError
        If the input is wrong. The text names the thing, the value, the rule and the remedy.
    SimulationStopped
        If the run cannot continue. Its `result` holds the run so far.
    KeyboardInterrupt
        After Ctrl-C. Its `result` holds the run so far.

    Examples
    --------
    >>> import chasles as ch
    >>> arm = ch.Body.rod("arm", length=1.0, mass=3.0, position=(0.5, 0, 0))
    >>> hinge = ch.Revolute("hinge", ch.GROUND, arm, at=(0, 0, 0), axis="y")
    >>> result = ch.simulate(ch.Model([arm], [hinge]), until=1.0, step=1e-3)
    >>> bool(result.violation("hinge").max() < 1e-12)
    True
    """
    if options.tol is not None or is_auto(options.method):
        return to_accuracy(options)
    return integrate(options)
