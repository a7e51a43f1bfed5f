"""Lets schemathesis ask for things that exist, most of the time, and keeps it from taking away its own token."""

import atexit
import collections
import hashlib
import json
import os
import random
import re
import sys
import threading
from urllib.parse import quote

import schemathesis
from hypothesis.internal import lambda_sources

sys.path.insert(0, os.path.dirname(__file__))
from world import ROOT, Lost, call, refresh, world  # noqa: E402

# It parses source to show lambdas, in which Python 3.11 may fail where several threads do so.
lambda_sources.lambda_description = lambda f: "lambda"

REPORT = os.environ["STITHY_FUZZ_REPORT"]
lock = threading.Lock()
counts = collections.Counter()
statuses = collections.defaultdict(collections.Counter)
last = threading.local()

# Parameters by name, out of the lists of the world.
BY_NAME = {
    "assignee_id": "users",
    "assignee_ids": "users",
    "author_id": "users",
    "reviewer_ids": "users",
    "user_id": "users",
    "user_ids": "users",
    "group_id": "share",
    "group_ids": "groups",
    "namespace_id": "groups",
    "parent_id": "groups",
    "project_id": "projects",
    "to_project_id": "projects",
    "target_project_id": "projects",
    "target_issue_iid": "issues",
    "milestone_id": "milestones",
    "branch": "branches",
    "start_branch": "branches",
    "source_branch": "branches",
    "target_branch": "branches",
    "ref": "branches",
    "ref_name": "branches",
    "from": "commits",
    "to": "commits",
    "sha": "commits",
    "file_path": "files",
    "path": "files",
    "source_topic_id": "topics",
    "target_topic_id": "topics",
}
# What belongs to the administrator themselves.
OWN = {"users": {"1", "root", "01", "1.0"}, "personal_access_tokens": {"1", "01"}, "user": {"1", "root"}}

# With these settings the server would refuse all that comes after them.
LOCKS_OUT = re.compile(r"disable_personal_access_tokens|maintenance_mode|throttle_\w+_enabled")


def random_of(case):
    """The same choices for the same request, so that a finding can be found again."""
    text = f"{case.method} {case.path} {case.path_parameters} {case.query} {case.body!r}"
    return random.Random(hashlib.sha256(text.encode("utf8", "surrogatepass")).digest())


def parameters_of(path):
    """Each parameter of a path with the fixed segments before it and the parameters before: `projects:issues:notes`."""
    chain = []
    parts = path.split("/")
    for index, part in enumerate(parts):
        part = part.removesuffix(".git")
        if part.startswith("{") and part.endswith("}"):
            chain.append(parts[index - 1])
            yield part[1:-1], chain


def known_for(values, name, chain):
    if name in ("secret", "filename"):
        return values.get(name)
    for length in (4, 3, 2, 1):
        found = values.get(":".join(chain[-length:])) if len(chain) >= length else None
        if found:
            return found
    return values.get(name) or (["main"] if name == "ref" else None)


def fill_path(case, values, chance):
    real = chance.random() < 0.9
    for name, chain in parameters_of(case.path):
        known = known_for(values, name, chain)
        if known and real and chance.random() < 0.97:
            # What hangs on something hangs on the first of its kind.
            value = known[0] if chance.random() < 0.8 else chance.choice(known)
            # The path of a repository stands in its address as it is.
            case.path_parameters[name] = quote(value, safe="/" if name == "repository" else "")
        if str(case.path_parameters.get(name)) in OWN.get(chain[-1], ()):
            case.path_parameters[name] = chance.choice(values.get(chain[-1]) or ["999"])


def fill(given, values, chance):
    if not isinstance(given, dict):
        return
    for name in list(given):
        known = values.get(BY_NAME.get(name.removesuffix("[]"), ""))
        if known and chance.random() < 0.7:
            value = chance.choice(known)
            value = int(value) if value.isdigit() and isinstance(given[name], (int, list)) else value
            given[name] = [value] if isinstance(given[name], list) else value


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Another order with each seed: the time is not enough for all values of all operations."""
    paths = list(raw_schema["paths"].items())
    random.Random(os.environ["STITHY_FUZZ_SEED"]).shuffle(paths)
    raw_schema["paths"] = dict(paths)


@schemathesis.hook
def before_call(context, case, kwargs):
    label = f"{case.method} {case.path}"
    last.calls = getattr(last, "calls", 0) + 1
    if getattr(last, "label", None) != label or last.calls % 100 == 0:
        last.label = label
        refresh_or_end()
    now = world()
    chance = random_of(case)
    if case.path_parameters:
        fill_path(case, now.values, chance)
    fill(case.query, now.values, chance)
    fill(case.body, now.values, chance)
    if case.path.endswith("/application/settings"):
        for given in (case.query, case.body):
            for name in [name for name in given if LOCKS_OUT.match(name)] if isinstance(given, dict) else ():
                given.pop(name)
    for name in ("sudo", "private_token", "access_token"):
        if case.query:
            case.query.pop(name, None)
    token = token_of(case, now, chance)
    case.headers.update({"Authorization": f"Bearer {token}"} if "{repository}" in case.path else {"PRIVATE-TOKEN": token})


def refresh_or_end():
    try:
        refresh()
    except Lost as error:
        print(f"fuzz: {error}", flush=True)
        report()
        os._exit(3)


def token_of(case, now, chance):
    # These end the token that they are sent with.
    if "self" in case.path.split("/") and case.method in ("DELETE", "POST"):
        user = chance.choice(now.values["users"])
        made = call("POST", f"/users/{user}/personal_access_tokens", json={"name": "self", "scopes": ["api"]})
        return made["token"] if made else "none"
    wish = chance.random()
    return ROOT if wish < 0.8 else chance.choice(now.tokens) if wish < 0.97 else "glpat-unknown"


@schemathesis.hook
def after_call(context, case, response):
    with lock:
        counts["requests"] += 1
        statuses[f"{case.method} {case.path}"][response.status_code] += 1


@atexit.register
def report():
    with open(REPORT, "w", encoding="utf8") as file:
        json.dump({"requests": counts["requests"], "statuses": statuses}, file)
