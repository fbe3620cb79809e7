"""What runs with events share: where they begin, end, and go on from an impact."""

import numpy as np

from chasles.core.arrays import Floats
from chasles.run.events import Event, Watcher
from chasles.run.impacts import Bouncer, End
from chasles.run.stepper import Stepper

#: So far inside of an end a coordinate is said to be right after an impact.
TINY = float(np.finfo(float).tiny)
#: A step after an impact is this fraction of the flight at the most: the next step must see the
#: coordinate inside, however short the bounce.
FLIGHT = 0.25


class Watch:
    """The events and impacts of one run."""

    def __init__(self, watcher: Watcher, stepper: Stepper) -> None:
        self.watcher, self.stepper = watcher, stepper
        ends = [end for end in watcher.events if isinstance(end, End)]
        self.bouncer = Bouncer(stepper, ends) if ends else None
        self.ending = ""  # what ended the run, in words

    @property
    def is_over(self) -> bool:
        return bool(self.ending)

    def begin(self, block: Floats, t: float) -> End | None:
        """Values at the start, and the end that is met there, if one is."""
        self.watcher.begin(block, t)
        met = None if self.bouncer is None else self.bouncer.begin(block, t)
        if met is not None:
            self.watcher.found[met.name].append(t)
        return met

    def meet(self, block: Floats, t: float, event: Event) -> float:
        """End the run at an event, or go on from an impact: how long the next step may be, s."""
        if not isinstance(event, End):
            self.ending = f", where event '{event.name}' happened"
            return np.inf
        assert self.bouncer is not None
        met, layout = self.bouncer.bounce(block, t, event), self.stepper.layout
        block[layout.history : layout.seen] = 0.0  # a method begins anew
        for end in met[1:]:
            self.watcher.found[end.name].append(t)
        self.watcher.begin(block, t)
        for k, watched in enumerate(self.watcher.events):
            if watched in met:  # from here on it is inside
                self.watcher.last[k] = -abs(self.watcher.last[k]) - TINY
        return min(FLIGHT * self.bouncer.flight(block, t, end) for end in met)
