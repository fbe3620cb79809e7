"""`result.view()`: the film of a run, served to browsers on this machine."""

import threading
import time
from errno import EADDRINUSE
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chasles.model import Body, ChaslesError
from chasles.model.keywords import checked_keywords
from chasles.result.result import Result
from chasles.view.film import make_film
from chasles.view.setting import checked_follow

MOST_FRAMES = 10_000  # saved states that are shown: more than a file gets, since none is mailed
PORTS = 20  # that are tried, from the one that was asked for


class NoViewer(ChaslesError):
    """No port is free for the viewer."""


@checked_keywords
def view(
    result: Result, port: int = 8080, block: bool | None = None, follow: Body | str | None = None
) -> "Live":
    """Serve a run on this machine; open the address that is printed.

    Parameters
    ----------
    result
        The run.
    port
        Port of the server, on this machine only. If it is taken, the next free one.
    block
        Wait until Ctrl-C. By default the viewer runs as long as the returned object exists.
    follow
        Body that the camera follows.
    """
    live = Live(result, port, checked_follow(follow, result, "view"))
    if block:
        live.wait()
    return live


class Live:
    """A server and its thread; `url` says where, `stop()` ends both."""

    def __init__(self, result: Result, port: int, follow: str | None = None) -> None:
        frames = min(len(result.t), MOST_FRAMES)
        film = make_film([result], ["run"], frames=max(2, frames), follow=follow)
        self.server = served(film.html.encode(), port)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.running = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def __repr__(self) -> str:
        return f"Live({self.url})"

    def __del__(self) -> None:
        if getattr(self, "running", False):
            self.stop()

    def wait(self) -> None:
        """Until Ctrl-C."""
        try:
            while self.running:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.stop()

    def stop(self) -> None:
        """End the server; a page that is open goes on."""
        self.running = False
        self.server.shutdown()
        self.server.server_close()


def served(page: bytes, port: int) -> ThreadingHTTPServer:
    """A server of one page, at a port or the next free one."""

    class OnePage(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/":
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *_: object) -> None:
            """Nobody asked for a log."""

    for number in range(port, port + PORTS if port else 1):
        try:
            return ThreadingHTTPServer(("127.0.0.1", number), OnePage)
        except OSError as error:
            if error.errno != EADDRINUSE:
                raise NoViewer(
                    f"view: port {number} cannot be used: {error.strerror}.",
                    "Give another one: port=8080; 0 takes any that is free.",
                ) from None
        except OverflowError:
            break
    raise NoViewer(
        f"view: none of the ports from {port} on is free.",
        "Give another one: port=8080; 0 takes any that is free.",
    )
