"""The same mechanisms in the libraries that users would pick instead.

Each module, and ``models.py`` for chasles, offers the same four names: ``VERSION``, ``METHOD``
(what is timed and how), ``positions(scene, until)`` and ``stepper(scene)``, which returns a
function that takes that many steps from the start and returns the seconds spent in them.
"""
