"""What the requests of the fuzz are about: a group, projects, people and what hangs on them, made through the API."""

import base64
import itertools
import os
import re
import threading

import requests

URL = os.environ["STITHY_URL"]
API = f"{URL}/api/v4"
ROOT = os.environ["STITHY_TOKEN"]
NUMBERS = itertools.count(1)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)

session = requests.Session()


def public_key():
    """A key in the format of OpenSSH that nobody else has."""
    parts = (b"ssh-ed25519", os.urandom(32))
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()} fuzz"


class Lost(Exception):
    """The server cannot be asked any more."""


def call(method, path, token=ROOT, **options):
    """An answer's JSON, or None where the call was refused: the fuzz may have taken away what it needs."""
    response = session.request(method, API + path, headers={"PRIVATE-TOKEN": token}, timeout=120, **options)
    if response.status_code == 401 and token == ROOT:
        raise Lost("the administrator's token is gone")
    if not response.ok:
        return None
    return response.json() if response.content else {}


def make(path, /, **fields):
    return call("POST", path, json=fields)


def must(method, path, **options):
    """An answer's JSON. What the world cannot be without must be there: where it is refused, the message says why."""
    response = session.request(method, API + path, headers={"PRIVATE-TOKEN": ROOT}, timeout=120, **options)
    if not response.ok:
        raise Lost(f"{method} {path} {options}: {response.status_code} {response.text[:500]}")
    return response.json() if response.content else {}


class World:
    """Names and ids by the fixed segment that stands before them in a path."""

    def __init__(self):
        self.number = next(NUMBERS)
        self.values = {}
        self.tokens = [ROOT]
        self.pillars = ["/user"]
        self.build()
        self.before = [call("GET", pillar) for pillar in self.pillars]

    def add(self, key, *values):
        self.values.setdefault(key, []).extend(str(value) for value in values if value is not None)

    def id_of(self, key, made, name="id"):
        if made is not None and name in made:
            self.add(key, made[name])
            return made[name]
        return None

    def build(self):
        n = self.number
        people = [self.person(f"fuzz-{n}-{role}") for role in ("dev", "owner", "stranger")]
        group = make("/groups", name=f"Group {n}", path=f"group-{n}", visibility="public")
        self.id_of("groups", group)
        self.id_of("groups", group, "full_path")
        self.id_of("groups", make("/groups", name="Sub", path="sub", parent_id=group["id"]))
        self.add("namespaces", group["id"], group["full_path"])
        self.add("group", group["id"])
        other = make("/groups", name=f"Other {n}", path=f"other-{n}")
        self.id_of("share", other)
        for user, level in zip(people, (30, 50)):
            make(f"/groups/{group['id']}/members", user_id=user, access_level=level)
        self.add("members", *people)
        self.add("billable_members", *people)
        projects = [self.project(f"p{index}", group["id"], people) for index in (1, 2)]
        at = f"/projects/{projects[0]}"
        self.pillars = [f"{at}/issues/1", f"{at}/merge_requests/1", f"{at}/repository/branches/main", f"/groups/{group['id']}"]
        fork = make(f"/projects/{projects[0]}/fork", namespace_path="root", path=f"fork-{n}", name=f"fork-{n}")
        self.id_of("fork", fork)
        self.group_things(group["id"])
        self.instance_things()

    def person(self, name):
        password = "correct horse 9!"
        user = must(
            "POST", "/users", json=dict(username=name, name=name, email=f"{name}@example.org", password=password, skip_confirmation=True)
        )
        self.id_of("users", user)
        self.id_of("user", user)
        token = make(f"/users/{user['id']}/personal_access_tokens", name="t", scopes=["api", "sudo"])
        token = token or make(f"/users/{user['id']}/personal_access_tokens", name="t", scopes=["api"])
        self.tokens.append(token["token"])
        self.id_of("impersonation_tokens", make(f"/users/{user['id']}/impersonation_tokens", name="i", scopes=["api"]))
        self.id_of("personal_access_tokens", make(f"/users/{user['id']}/personal_access_tokens", name="u", scopes=["api"]))
        self.id_of("users:keys", make(f"/users/{user['id']}/keys", title="k", key=public_key()))
        self.id_of("users:emails", make(f"/users/{user['id']}/emails", email=f"{name}@example.net", skip_confirmation=True))
        call("PUT", f"/users/{user['id']}/custom_attributes/team", json={"value": "red"})
        return user["id"]

    def project(self, name, group, people):
        project = make("/projects", name=name, namespace_id=group, visibility="public", request_access_enabled=True)
        at = f"/projects/{project['id']}"
        self.add("projects", project["id"], project["path_with_namespace"])
        self.add("project", project["id"])
        self.add("repository", project["path_with_namespace"])
        self.commits(at)
        for label in ("bug", "ui"):
            self.id_of("labels", make(f"{at}/labels", name=label, color="#ff0000"))
        milestone = self.id_of("milestones", make(f"{at}/milestones", title="v1"))
        for title in ("One", "Two", "Three"):
            issue = make(f"{at}/issues", title=title, labels="bug", milestone_id=milestone, assignee_ids=people[:1], weight=2)
            self.issuable(f"{at}/issues/{issue['iid']}", "issues", issue)
        make(f"{at}/issues/1/links", target_project_id=project["id"], target_issue_iid=2)
        for branch in ("feature", "other"):
            request = make(f"{at}/merge_requests", source_branch=branch, target_branch="main", title=f"Merge {branch}", labels="ui")
            self.issuable(f"{at}/merge_requests/{request['iid']}", "merge_requests", request)
            for version in call("GET", f"{at}/merge_requests/{request['iid']}/versions") or []:
                self.add("versions", version["id"])
        snippet = make(f"{at}/snippets", title="s", visibility="public", files=[{"file_path": "a.txt", "content": "text"}])
        self.issuable(f"{at}/snippets/{snippet['id']}", "snippets", snippet, "id")
        self.project_things(at, people)
        return project["id"]

    def commits(self, at):
        create = lambda path, content, **more: {"action": "create", "file_path": path, "content": content, **more}
        first = [create("README.md", "# Read\n"), create("src/a b.txt", "one\ntwo\n"), create("bin.dat", "AAECAw==", encoding="base64")]
        commit = make(f"{at}/repository/commits", branch="main", commit_message="First", actions=first)
        self.id_of("commits", commit)
        for branch in ("feature", "other"):
            change = [create(f"{branch}.txt", "x\n"), {"action": "update", "file_path": "README.md", "content": f"# {branch}\n"}]
            made = make(f"{at}/repository/commits", branch=branch, start_branch="main", commit_message=branch, actions=change)
            self.id_of("commits", made)
        make(f"{at}/repository/branches", branch="spare", ref="main")
        make(f"{at}/repository/tags", tag_name="v1.0", ref="main", message="One")
        self.add("branches", "main", "feature", "spare")
        self.add("tags", "v1.0")
        self.add("files", "README.md", "src/a b.txt")
        self.add("statuses", commit["id"])
        self.add("commits", "main")
        blobs = [entry["id"] for entry in call("GET", f"{at}/repository/tree") or [] if entry["type"] == "blob"]
        self.add("blobs", *blobs[:2])
        make(f"{at}/repository/commits/{commit['id']}/comments", note="fine")
        make(f"{at}/statuses/{commit['id']}", state="success", name="ci")
        self.thread(f"{at}/repository/commits/{commit['id']}", "commits")

    def thread(self, at, key):
        discussion = make(f"{at}/discussions", body="Look")
        if discussion is not None:
            self.add(f"{key}:discussions", discussion["id"])
            self.add(f"{key}:discussions:notes", discussion["notes"][0]["id"])

    def issuable(self, at, key, made, name="iid"):
        self.add("projects:snippets" if key == "snippets" else key, made[name])
        note = self.id_of(f"{key}:notes", make(f"{at}/notes", body="A note"))
        self.id_of(f"{key}:notes:award_emoji", make(f"{at}/notes/{note}/award_emoji", name="heart"))
        self.thread(at, key)
        self.id_of(f"{key}:award_emoji", make(f"{at}/award_emoji", name="thumbsup"))
        call("PUT", at, json={"labels": "ui", "weight": 3, "milestone_id": None})
        for kind in ("label", "milestone", "state", "weight", "iteration"):
            for event in (call("GET", f"{at}/resource_{kind}_events") or [])[:2]:
                self.add(f"{key}:resource_{kind}_events", event["id"])

    def project_things(self, at, people):
        self.id_of("deploy_tokens", make(f"{at}/deploy_tokens", name="d", scopes=["read_repository"]))
        self.id_of("access_tokens", make(f"{at}/access_tokens", name="a", scopes=["api"], access_level=30))
        self.id_of("badges", make(f"{at}/badges", link_url="https://x.example/", image_url="https://x.example/%{default_branch}"))
        self.id_of("approval_rules", make(f"{at}/approval_rules", name="Two", approvals_required=1, user_ids=people[:2]))
        make(f"{at}/protected_branches", name="release/*")
        make(f"{at}/protected_tags", name="v*")
        self.add("protected_branches", "main", "release/*")
        self.add("protected_tags", "v*")
        for issue in (call("GET", f"{at}/issues/1/links") or [])[:1]:
            self.add("links", issue["issue_link_id"])
        upload = call("POST", f"{at}/uploads", files={"file": ("a.png", PNG)})
        if upload is not None:
            *_, secret, filename = upload.get("url", "//").split("/")
            self.add("uploads", upload.get("id"))
            self.add("secret", secret)
            self.add("filename", filename)
        call("POST", f"{at}/access_requests", token=self.tokens[-1])
        self.add("access_requests", people[-1])
        self.id_of("deploy_keys", make(f"{at}/deploy_keys", title="k", key=public_key()))
        self.id_of("draft_notes", make(f"{at}/merge_requests/1/draft_notes", note="Later"))
        email = f"guest-{self.number}@example.net"
        make(f"{at}/invitations", email=email, access_level=10)
        self.add("invitations", email)
        self.id_of("todos", make(f"{at}/issues/1/todo"))

    def group_things(self, group):
        at = f"/groups/{group}"
        self.id_of("groups:labels", make(f"{at}/labels", name="shared", color="red"))
        self.id_of("groups:milestones", make(f"{at}/milestones", title="group"))
        self.id_of("groups:badges", make(f"{at}/badges", link_url="https://x.example/", image_url="https://x.example/a"))
        self.id_of("groups:deploy_tokens", make(f"{at}/deploy_tokens", name="d", scopes=["read_repository"]))
        self.id_of("groups:access_tokens", make(f"{at}/access_tokens", name="a", scopes=["api"], access_level=30))

    def instance_things(self):
        n = self.number
        self.id_of("topics", make("/topics", name=f"topic-{n}", title=f"Topic {n}"))
        self.id_of("applications", make("/applications", name="a", redirect_uri="http://x.example/", scopes="api"))
        self.id_of("emails", make("/user/emails", email=f"fuzz-{n}@example.net"))
        self.add("custom_attributes", "team", "other")
        self.id_of("keys", make("/user/keys", title="k", key=public_key()))
        robot = self.id_of("service_accounts", make("/service_accounts", name="robot", username=f"robot-{n}"))
        token = make(f"/service_accounts/{robot}/personal_access_tokens", name="r", scopes=["api"])
        self.id_of("service_accounts:personal_access_tokens", token)
        make("/project_aliases", project_id=self.values["project"][0], name=f"alias-{n}")
        self.add("project_aliases", f"alias-{n}")
        snippet = make("/snippets", title="mine", visibility="public", files=[{"file_path": "a.txt", "content": "x"}])
        self.id_of("snippets", snippet)

    def is_alive(self):
        """Whether what most requests are about is there, under the names it was made with."""
        now = [call("GET", pillar) for pillar in self.pillars]
        return all(each is not None and each["web_url"] == first["web_url"] for each, first in zip(now, self.before))


lock = threading.Lock()
current = None
# What was set before the fuzz changed anything: with other passwords, addresses and visibilities asked for, nothing could be made.
SETTINGS = {
    name: value
    for name, value in must("GET", "/application/settings").items()
    if value is not None and re.match(r"password_|minimum_pass|domain_|email_restr|restricted_|default_project_v|default_group_v|max_", name)
}


def build():
    must("PUT", "/application/settings", json=SETTINGS)
    return World()


def world():
    """The present world."""
    global current
    with lock:
        if current is None:
            current = build()
        return current


def refresh():
    """A new world where the present one was taken apart."""
    global current
    with lock:
        if current is None or not current.is_alive():
            current = build()
