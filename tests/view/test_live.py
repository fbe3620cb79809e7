"""The live viewer in a real browser, and the command line."""

import http.client
import socket
import struct
import urllib.request
from contextlib import closing

import pytest
from visits import FilmVisit

import chasles as ch
from chasles import cli
from chasles.view.film import curves_of


@pytest.fixture
def shown(swing):
    viewer = swing.view(port=8431)
    yield viewer
    viewer.stop()


def visited(browser, viewer, **options):
    class Address:
        def as_uri(self):
            return viewer.url + "/"

    return FilmVisit(browser, Address(), **options)


@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_plays_and_asks_only_its_own_server(browser, shown, width):
    with visited(browser, shown, width=width, moves=True) as visit:
        first = visit.run("film.time")
        assert visit.comes(f"film.playing && film.time > {first} + 0.02")
        visit.page.get_by_role("button", name="Pause").click()
        assert visit.run("film.playing") is False
        assert visit.said == []
        assert all(url.startswith((shown.url, "data:")) for url in visit.asked)


def test_it_is_the_film_with_every_saved_state(browser, shown, swing):
    """Curves, arrows of joints and forces, and switches are those of the film."""
    with visited(browser, shown) as visit:
        assert visit.run("groups[0].t.length") == len(swing.t)
        assert visit.run("head.curves.map(c => c.name)") == [c[0] for c in curves_of([swing])]
        kinds = visit.run("groups[0].vectors.map(v => v.kind + ' ' + v.name)")
        assert {"gap hinge", "reaction hinge", "force coil", "force push"} <= set(kinds)
        visit.page.get_by_role("button", name="Show").click()
        menu = visit.page.locator("#menu")
        for words in ("trails", "joints", "floor", "frames", "names"):
            assert menu.get_by_label(words, exact=True).count() == 1


def test_it_follows_a_body(swing, browser):
    viewer = swing.view(port=0, follow="arm")
    with visited(browser, viewer) as visit:
        assert visit.run("film.follow") == 0
    viewer.stop()
    with pytest.raises(ch.UnknownName, match="mean 'arm'"):
        swing.view(port=0, follow="arn")


def test_a_taken_port_is_passed_and_a_stopped_viewer_answers_no_more(swing, shown):
    other = swing.view(port=8431)
    assert repr(other) == f"Live({other.url})" and other.url != shown.url
    host = other.url.removeprefix("http://")
    with urllib.request.urlopen(other.url) as page:
        assert b"<canvas" in page.read()
    with closing(http.client.HTTPConnection(host)) as connection:
        connection.request("GET", "/etc/passwd")
        assert connection.getresponse().status == 404
    other.stop()
    with pytest.raises(OSError):
        urllib.request.urlopen(other.url, timeout=1.0)


def test_a_page_of_a_stranger_does_not_read_the_run(shown):
    """Nor under a name of its own that leads to this machine (DNS rebinding)."""
    host = shown.url.removeprefix("http://")

    def status(name):
        with closing(http.client.HTTPConnection(host)) as connection:
            connection.request("GET", "/", headers={} if name is None else {"Host": name})
            return connection.getresponse().status

    assert [status(name) for name in (None, "localhost", "LocalHost:9000")] == [200] * 3
    strangers = ("example.org", "example.org:8431", "127.0.0.1.example.org", "")
    assert [status(name) for name in strangers] == [403] * 4


def test_a_browser_that_leaves_early_is_no_error(shown, capfd):
    port = int(shown.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port)) as browser:
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        browser.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    with urllib.request.urlopen(shown.url) as page:
        page.read()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("options", [{"port": "8080"}, {"port": 80.5}, {"block": "yes"}])
def test_nonsense_for_the_viewer_is_refused(swing, options, refusal):
    assert next(iter(options)) in refusal(lambda: swing.view(**options), ch.ChaslesError)


@pytest.mark.parametrize("port", [1 << 20, -5])
def test_a_port_that_is_none_is_refused(swing, port, refusal):
    assert "port" in refusal(lambda: swing.view(port=port), ch.ChaslesError)


def test_a_long_run_is_thinned():
    ball = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
    run = ch.simulate(ball, until=15.0, step=1e-3)
    viewer = run.view(port=0)
    with urllib.request.urlopen(viewer.url) as page:
        assert len(page.read()) < 2e6
    viewer.stop()


def test_the_command_line_makes_a_film_of_a_saved_run(swing, tmp_path, capsys):
    model = ch.Model([ch.Body.sphere("ball", 0.1, mass=1.0)])
    run = ch.simulate(model, until=0.1, step=0.01).save(tmp_path / "run.nc")
    assert cli.main(["view", str(run), "--out", str(tmp_path / "film.html")]) == 0
    assert (tmp_path / "film.html").stat().st_size > 30000
    assert cli.main(["view", str(tmp_path / "missing.nc")]) == 2
    assert "there is no file" in capsys.readouterr().err
