"""Needs Node, and: npm install inference-assay && pip install pytest openai"""

import json
import os
import signal
import subprocess
import urllib.request
from contextlib import contextmanager

import openai
import pytest


def show(client, prompt, show_text):
    """The code under test: it shows a reply as it comes, and raises unless it comes to its end."""
    messages = [{"role": "user", "content": prompt}]
    finish_reason = None
    for chunk in client.chat.completions.create(model="small", messages=messages, temperature=0.3, stream=True):
        show_text(chunk.choices[0].delta.content or "")
        finish_reason = chunk.choices[0].finish_reason or finish_reason
    if finish_reason != "stop":
        raise ValueError("The reply was cut.")


@contextmanager
def running(*command):
    """A server of Assay on free ports, for as long as it is used. Its first line is JSON: addresses and keys."""
    line = ["npx", "inference-assay", *command, "--listen", "127.0.0.1:0", "--json"]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            # The server is a child of npx, which does not pass the signal on.
            os.killpg(process.pid, signal.SIGTERM)


GATEWAY = ["gateway", "--demo", "--pace", "instant", "--store", "memory", "--dashboard", "off"]


@pytest.fixture(scope="session")
def node():
    with running("node", "--model", "small", "--control", "127.0.0.1:0") as started:
        yield started


@pytest.fixture(scope="session")
def gateway(node):
    with running(*GATEWAY, "--node", f"{node['url']}=small") as started:
        yield started


def client_of(gateway, key="apiKey"):
    return openai.OpenAI(base_url=f"{gateway['baseUrl']}/api/v1", api_key=gateway[key], max_retries=0)


def call(node, method, path, body=None):
    """One call of the node's control API."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{node['controlUrl']}/control/v1{path}", data, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or "null")


def test_a_reply_that_the_test_wrote_and_what_the_node_was_asked(node, gateway):
    call(node, "PUT", "/scripts/hello", {"fragments": ["Hello", " there."]})
    shown = []
    show(client_of(gateway), "assay-script-hello", shown.append)
    assert "".join(shown) == "Hello there."
    [seen] = call(node, "GET", "/records?script=hello")["records"]
    assert json.loads(seen["body"])["temperature"] == 0.3


def test_a_node_that_dies_in_the_middle_of_a_stream(node, gateway):
    fault = {"kind": "reset-mid-stream", "afterChunks": 2}
    call(node, "PUT", "/scripts/cut", {"fragments": ["One ", "two ", "three."], "fault": fault})
    shown = []
    with pytest.raises(openai.APIError):
        show(client_of(gateway), "assay-script-cut", shown.append)
    assert "".join(shown) == "One two "


def test_a_key_that_has_reached_its_limit(gateway):
    client = client_of(gateway, "limitedKey")
    with pytest.raises(openai.RateLimitError):
        for _ in range(6):
            show(client, "Hello", lambda text: None)


def test_a_gateway_that_never_says_that_a_reply_is_whole():
    with running(*GATEWAY, "--fault", "chunk-finish-reason-never") as wrong:
        with pytest.raises(ValueError, match="cut"):
            show(client_of(wrong), "Hello", lambda text: None)
