"""Pages in a real browser, without network: what they say, what they ask for, what they show.

Opening a window takes longer than most tests: visits of one kind share one, and leave it blank.
"""

import io
import time
from typing import Any

import numpy as np
from PIL import Image

#: A hint of the driver that draws in software, about how the browser fetches what it has drawn.
STALL = "GPU stall due to ReadPixels"
#: The open windows of a browser, by what only a new one can be told.
WINDOWS: dict[Any, Any] = {}


def window(browser, **options):
    """A page of a context with these options, the same one every time."""
    key = browser, *sorted(options.items())
    if key not in WINDOWS:
        WINDOWS[key] = browser.new_context(**options).new_page()
    return WINDOWS[key]


class Visit:
    """A page opened once, with everything it said and asked for.

    Nothing moves by itself unless `moves`: to draw without a graphics card costs the most.
    """

    def __init__(
        self, browser, path, width=1280, scheme="light", fragment="", moves=False, height=800,
        **context,
    ):  # fmt: skip
        self.page, self.said, self.asked = window(browser, **context), [], []
        self.heard = {
            "console": lambda message: STALL in message.text or self.said.append(message.text),
            "pageerror": lambda error: self.said.append(str(error)),
            "request": lambda request: self.asked.append(request.url),
        }
        motion = "no-preference" if moves else "reduce"
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=scheme, reduced_motion=motion)
        for event, listener in self.heard.items():
            self.page.on(event, listener)
        self.page.goto(path.as_uri() + fragment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for event, listener in self.heard.items():
            self.page.remove_listener(event, listener)
        self.page.goto("about:blank")

    def run(self, script):
        return self.page.evaluate(script)

    def comes(self, condition, seconds=20.0):
        """Whether it becomes true; asked from here, since films let nobody evaluate text."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if condition() if callable(condition) else self.run(condition):
                return True
            self.page.wait_for_timeout(50)
        return False


class FilmVisit(Visit):
    """A film, or a page that runs a model, ready to be looked at."""

    def __init__(self, browser, path, *arguments, **options):
        super().__init__(browser, path, *arguments, **options)
        self.page.wait_for_selector("html[data-ready]", timeout=20000)
        self.run("film.fixed = true")  # a still stays as it was drawn: no finer one after a while

    def still(self, t):
        """The picture at a time, as grey levels."""
        self.run(f"() => {{ setPlaying(false); setTime({t}); }}")
        return self.picture()

    def picture(self):
        self.run(
            "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        box = self.page.locator("#stage").screenshot()
        return np.asarray(Image.open(io.BytesIO(box)).convert("L")).astype(int)
