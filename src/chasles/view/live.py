"""`result.view()`: the film of a run, served to browsers on this machine."""

import os
import sys
import threading
import time
from errno import EADDRINUSE
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chasles.model import Body, ChaslesError
from chasles.model.checks import check_flag, checked_count
from chasles.result.result import Result
from chasles.view.film import make_film
from chasles.view.stage import Stage, checked_follow

MOST_FRAMES = 10_000  # saved states that are shown: more than a file gets, since none is mailed
PORTS = 20  # that are tried, from the one that was asked for
LAST_PORT = 65535
PATIENCE = 30.0  # s that a request may take
#: Names of this machine in requests.  A page of a stranger whose own name leads here (DNS
#: rebinding) asks under that name, and is refused: it would read the run otherwise.
HOSTS = ("127.0.0.1", "localhost")


class NoViewer(ChaslesError):
    """No port is free for the viewer."""


def view(
    result: Result, port: int = 8080, block: bool | None = None, follow: Body | str | None = None
) -> "Live":
    """Serve a run on this machine, at a port or the next free one: see `Result.view`."""
    if block is not None:
        check_flag(block, "block", "view", NoViewer)
    number = checked_count(port, "port", LAST_PORT, "view", NoViewer, least=0)
    live = Live(result, number, checked_follow(follow, result, "view"))
    if block:
        print(f"{live.url}  (Ctrl-C ends)", flush=True)
        live.wait()
    return live


class Live:
    """A server and its thread; `url` says where, `stop()` ends both."""

    def __init__(self, result: Result, port: int, follow: str | None = None) -> None:
        frames = min(len(result.t), MOST_FRAMES)
        film = make_film(Stage([result], ["run"], follow=follow), max(2, frames))
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


class OwnServer(ThreadingHTTPServer):
    """A server that shares its port with no other, and says nothing of browsers that leave."""

    allow_reuse_address = os.name != "nt"  # there it would let two servers have one port

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that leaves early is no error."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def served(page: bytes, port: int) -> ThreadingHTTPServer:
    """A server of one page, at a port or the next free one."""

    class OnePage(BaseHTTPRequestHandler):
        timeout = PATIENCE

        def do_GET(self) -> None:
            host, _, _ = self.headers.get("Host", "").partition(":")
            if host.lower() not in HOSTS:
                self.send_error(403)
                return
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

    why = f"none of the ports from {port} on is free"
    for number in range(port, min(port + PORTS, LAST_PORT + 1) if port else 1):
        try:
            return OwnServer(("127.0.0.1", number), OnePage)
        except OSError as error:
            if error.errno != EADDRINUSE:
                why = f"port {number} cannot be used: {error.strerror}"
                break
    raise NoViewer(f"view: {why}.", "Give another one: port=8080; 0 takes any that is free.")
