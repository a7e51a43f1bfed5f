"""A server for all tests (for each worker of pytest-xdist), as the seed made it at the beginning of each."""
import json
import subprocess
import urllib.request

import pytest

SERVE = "stithy serve --ephemeral --bench --port 0 --seed stithy.seed.yml --json --log-level error"


class Stithy:
    """A running server."""

    def __init__(self, url, token):
        self.url = url
        self.token = token

    def call(self, method, path, body=None):
        headers = {"PRIVATE-TOKEN": self.token, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or b"null")


@pytest.fixture(scope="session")
def stithy_server():
    with subprocess.Popen(SERVE.split(), stdout=subprocess.PIPE) as process:
        ready = process.stdout.readline()
        assert ready, "stithy did not start; it says why above"
        ready = json.loads(ready)
        try:
            yield Stithy(ready["url"], ready["token"])
        finally:
            process.terminate()


@pytest.fixture
def stithy(stithy_server):
    stithy_server.call("POST", "/-/bench/reset")
    return stithy_server
