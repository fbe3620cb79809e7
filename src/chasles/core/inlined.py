"""What explicit steps consist of, inlined where it is called: calls would cost a small model a third.

Methods that iterate, and everything that is done once in a step, call the same routines by address.
"""

from chasles.compiled import inlined
from chasles.core import retraction
from chasles.core import stage as stages

retract = inlined(retraction.retract)
pull_back = inlined(retraction.pull_back)
finish = inlined(retraction.finish)
stage = inlined(stages.stage)
