"""Drives a server with the unmodified python-gitlab. Address and token come from the environment."""

import base64
import datetime
import gzip
import http.server
import io
import json
import os
import sys
import tempfile
import threading
import time
import traceback
import zipfile

import gitlab
from gitlab.v4.objects import ProjectJob

URL = os.environ["STITHY_URL"]
TOKEN = os.environ["STITHY_TOKEN"]
NEXT_MONTH = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()

gl = gitlab.Gitlab(URL, private_token=TOKEN)


def refused(status, call, *args, **kwargs):
    """Expects a refusal and gives its text."""
    try:
        call(*args, **kwargs)
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, error
        return error.error_message
    raise AssertionError("it was not refused")


CI_CONFIG = """
build:
  script: make
  artifacts:
    paths: [out/]
    reports:
      junit: junit.xml
      dotenv: build.env
"""


def run_job(project, files):
    """Runs the one job of a new pipeline as a runner would, and leaves its files. Gives the pipeline and the job."""
    project.files.create(
        {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CI_CONFIG, "commit_message": "ci"}
    )
    for _ in range(3_000):
        found = project.pipelines.list(ref="main")
        if found:
            break
        time.sleep(0.1)
    pipeline = found[0]
    registration = gl.http_post(f"/projects/{project.id}/runners/reset_registration_token")["token"]
    runner = gl.runners.create({"token": registration})
    info = {"features": {"upload_multiple_artifacts": True, "upload_raw_artifacts": True, "refspecs": True}}
    for _ in range(3_000):
        job = gl.http_post("/jobs/request", post_data={"token": runner.token, "info": info})
        if isinstance(job, dict) and "id" in job:
            break
        time.sleep(0.1)
    address, headers = f"{URL}/api/v4/jobs/{job['id']}", {"JOB-TOKEN": job["token"]}
    for query, name, content in files:
        sent = gl.session.post(f"{address}/artifacts", params=query, headers=headers, files={"file": (name, content)})
        assert sent.status_code == 201, sent.text
    done = gl.session.put(address, json={"token": job["token"], "state": "success"})
    assert done.status_code in (200, 202), done.text
    for _ in range(3_000):
        pipeline.refresh()
        if pipeline.status == "success":
            break
        time.sleep(0.1)
    assert pipeline.status == "success", pipeline.status
    return pipeline, project.jobs.get(job["id"])


def zipped(**files):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(f"out/{name}.txt", text)
    return content.getvalue()


def test_member_roles():
    group = gl.groups.create({"name": "py roles", "path": "py-roles"})
    given = {"name": "Reader", "base_access_level": 10, "read_code": True}
    for roles in (gl.member_roles, group.member_roles):
        role = roles.create({**given, "description": "Reads code"})
        assert (role.read_code, role.remove_project, role.base_access_level) == (True, False, 10)
        assert [each.id for each in roles.list()] == [role.id]
        assert "has already been taken" in refused(400, roles.create, given)
    user, client = new_user("py-reader")
    project = gl.projects.create({"name": "read", "namespace_id": group.id, "initialize_with_readme": True})
    project.files.create({"file_path": "a.txt", "branch": "main", "content": "x", "commit_message": "x"})
    group.members.create({"user_id": user.id, "access_level": 10, "member_role_id": role.id})
    assert client.projects.get(project.id).files.get("a.txt", "main").decode() == b"x"
    assert group.members.get(user.id).member_role["id"] == role.id
    assert "in use" in refused(400, group.member_roles.delete, role.id)
    group.members.delete(user.id)
    group.member_roles.delete(role.id)
    gl.member_roles.delete(gl.member_roles.list()[0].id)
    group.delete()


def test_artifacts():
    project = new_project("py artifacts")
    archive = zipped(hello="hello\n", more="x" * 100_000)
    junit = b'<testsuite><testcase name="a" time="0.5"/><testcase name="b"><failure>no</failure></testcase></testsuite>'
    report = {"artifact_type": "junit", "artifact_format": "gzip"}
    pipeline, job = run_job(
        project,
        [({"expire_in": "1 day"}, "artifacts.zip", archive), (report, "junit.xml.gz", gzip.compress(junit))],
    )
    assert job.artifacts_file == {"filename": "artifacts.zip", "size": len(archive)}
    assert sorted(each["file_type"] for each in job.attributes["artifacts"]) == ["archive", "junit"]
    assert job.artifacts_expire_at is not None
    assert ProjectJob.artifacts(job) == archive
    assert job.artifact("out/hello.txt") == b"hello\n"
    chunks = []
    ProjectJob.artifacts(job, streamed=True, action=chunks.append)
    assert b"".join(chunks) == archive
    assert project.artifacts.download(ref_name="main", job="build") == archive
    assert project.artifacts.raw("main", "out/more.txt", job="build") == b"x" * 100_000
    assert refused(404, project.artifacts.download, ref_name="main", job="none") == "404 Job Not Found"
    assert refused(404, job.artifact, "junit.xml") == "404 Path Not Found"
    assert refused(404, project.artifacts.raw, "refs/merge-requests/1/head", "a", job="build")
    tree = gl.http_list(f"/projects/{project.id}/jobs/{job.id}/artifacts/tree", iterator=True, recursive=True)
    assert [each["path"] for each in tree] == ["out/", "out/hello.txt", "out/more.txt"]
    tests = pipeline.test_report.get()
    assert (tests.total_count, tests.failed_count, tests.total_time) == (2, 1, 0.5), tests
    assert tests.test_suites[0]["test_cases"][0]["system_output"] == "no"
    assert pipeline.test_report_summary.get().total["count"] == 2
    job.keep_artifacts()
    assert project.jobs.get(job.id).artifacts_expire_at is None
    job.delete_artifacts()
    assert refused(404, ProjectJob.artifacts, job) == "404 Not Found"
    project.artifacts.delete()


def new_project(name, **attributes):
    return gl.projects.create({"name": name, "initialize_with_readme": True, **attributes})


def test_projects():
    project = new_project("py project", visibility="public")
    assert project.path_with_namespace == "root/py-project"
    project.description = "changed"
    project.save()
    assert gl.projects.get("root/py-project").description == "changed"
    assert project.id in [each.id for each in gl.projects.list(iterator=True)]
    assert project.id in [each.id for each in gl.projects.list(search="py pro", get_all=True)]
    project.star()
    project.archive()
    assert gl.projects.get(project.id).archived is True
    project.unarchive()
    project.delete()
    assert refused(404, gl.projects.get, project.id) == "404 Project Not Found"


def test_groups_and_members():
    group = gl.groups.create({"name": "py", "path": "py-group"})
    child = gl.groups.create({"name": "child", "path": "child", "parent_id": group.id})
    assert child.full_path == "py-group/child"
    assert [each.id for each in group.subgroups.list()] == [child.id]
    user = gl.users.create(
        {"username": "pyuser", "name": "Py", "email": "py@example.org", "password": "a long enough 1 pass"}
    )
    member = group.members.create({"user_id": user.id, "access_level": gitlab.const.AccessLevel.DEVELOPER})
    member.access_level = gitlab.const.AccessLevel.MAINTAINER
    member.save()
    assert group.members.get(user.id).access_level == 40
    assert user.id in [each.id for each in child.members_all.list(get_all=True)]
    project = gl.projects.create({"name": "inside", "namespace_id": child.id})
    assert [each.id for each in group.projects.list(include_subgroups=True)] == [project.id]
    group.delete()


def test_users_and_tokens():
    gl.auth()
    assert gl.user.username == "root"
    assert gl.users.list(username="root")[0].id == gl.user.id
    token = gl.personal_access_tokens.list(get_all=True)
    assert token
    made = gl.users.get(gl.user.id).personal_access_tokens.create(
        {"name": "py", "scopes": ["read_api"], "expires_at": NEXT_MONTH}
    )
    reader = gitlab.Gitlab(URL, private_token=made.token)
    reader.auth()
    refused(403, reader.projects.create, {"name": "no"})
    gl.personal_access_tokens.delete(made.id)
    refused(401, reader.auth)
    assert "401" in refused(401, gitlab.Gitlab(URL, private_token="wrong").auth)


def test_files():
    project = new_project("py files")
    data = bytes(range(256))
    path = "dir with space/ü.bin"
    project.files.create(
        {
            "file_path": path,
            "branch": "main",
            "content": base64.b64encode(data).decode(),
            "encoding": "base64",
            "commit_message": "add",
        }
    )
    found = project.files.get(file_path=path, ref="main")
    assert found.decode() == data
    assert project.files.raw(file_path=path, ref="main") == data
    found.content = "now text\n"
    found.encoding = "text"
    found.save(branch="main", commit_message="change")
    assert project.files.raw(file_path=path, ref="main") == b"now text\n"
    blame = project.files.blame(file_path=path, ref="main")
    assert blame[0]["lines"] == ["now text"], blame
    found.delete(branch="main", commit_message="remove")
    assert refused(404, project.files.get, file_path=path, ref="main") == "404 File Not Found"


def test_commits():
    project = new_project("py commits")
    commit = project.commits.create(
        {
            "branch": "main",
            "commit_message": "several",
            "actions": [
                {"action": "create", "file_path": "a", "content": "a\n"},
                {"action": "create", "file_path": "b", "content": "b\n", "execute_filemode": True},
                {"action": "move", "file_path": "READ", "previous_path": "README.md"},
            ],
        }
    )
    assert commit.title == "several"
    assert [each.id for each in project.commits.list(ref_name="main", per_page=1, page=1)] == [commit.id]
    assert project.commits.get("main").stats["additions"] >= 2
    assert [each.id for each in project.commits.list(ref_name="main", iterator=True)][0] == commit.id


def test_branches_and_tags():
    project = new_project("py refs")
    for number in range(25):
        project.branches.create({"branch": f"b/{number:02}", "ref": "main"})
    assert len(project.branches.list(get_all=True)) == 26
    assert len(list(project.branches.list(iterator=True, per_page=5, pagination="keyset"))) == 26
    assert "already exists" in refused(400, project.branches.create, {"branch": "main", "ref": "main"})
    project.branches.delete("b/00")
    tag = project.tags.create({"tag_name": "v1", "ref": "main", "message": "first"})
    assert tag.message == "first"
    assert [each.name for each in project.tags.list()] == ["v1"]
    project.tags.delete("v1")
    protection = project.protectedbranches.create({"name": "b/*", "push_access_level": 0, "merge_access_level": 40})
    assert protection.push_access_levels[0]["access_level"] == 0
    text = refused(403, project.commits.create, {"branch": "b/01", "commit_message": "x", "actions": [
        {"action": "create", "file_path": "x", "content": "x"}]})
    assert "not allowed" in text, text
    protection.delete()
    # None at all is `null`, which python-gitlab does not take for an object.
    try:
        project.pushrules.get()
        raise AssertionError("a project without push rules shows some")
    except gitlab.GitlabParsingError:
        pass
    project.pushrules.create({"commit_message_regex": "JIRA", "deny_delete_tag": True})
    rules = project.pushrules.get()
    assert (rules.commit_message_regex, rules.deny_delete_tag, rules.max_file_size) == ("JIRA", True, 0)
    text = refused(400, project.commits.create, {"branch": "b/01", "commit_message": "x", "actions": [
        {"action": "create", "file_path": "x", "content": "x"}]})
    assert text == "Commit message does not follow the pattern 'JIRA'", text
    rules.commit_message_regex = "["
    assert "not valid RE2 syntax" in refused(400, rules.save)
    rules.delete()
    token = project.access_tokens.create({"name": "t", "scopes": ["api"], "expires_at": NEXT_MONTH})
    assert token.token.startswith("glpat-")
    token.delete()


def test_snippets():
    files = [{"file_path": "a.txt", "content": "first"}, {"file_path": "b/c.txt", "content": "second"}]
    snippet = gl.snippets.create({"title": "Mine", "files": files})
    assert snippet.content() == b"first"
    assert [each["path"] for each in snippet.attributes["files"]] == ["a.txt", "b/c.txt"]
    snippet.title = "Other"
    snippet.visibility = gitlab.const.Visibility.PUBLIC
    snippet.save()
    assert gl.snippets.get(snippet.id).title == "Other"
    assert snippet.id in [each.id for each in gl.snippets.list(get_all=True)]
    assert snippet.id in [each.id for each in gl.snippets.list_public(get_all=True)]
    assert snippet.user_agent_detail()["akismet_submitted"] is False
    snippet.delete()
    assert refused(404, gl.snippets.get, snippet.id) == "404 Snippet Not Found"
    project = new_project("py snippets")
    shared = project.snippets.create({"title": "Shared", "visibility": "private", "file_name": "x.rb", "content": "1"})
    assert shared.content() == b"1"
    project.snippets.update(shared.id, {"files": [{"action": "update", "file_path": "x.rb", "content": "2"}]})
    assert project.snippets.get(shared.id).content() == b"2"
    shared.delete()


def test_badges_uploads_and_invitations():
    project = new_project("py spaces", visibility="public")
    group = gl.groups.create({"name": "py spaces", "path": "py-spaces"})
    picture = "https://example.org/%{default_branch}.svg"
    for place in (project, group):
        badge = place.badges.create({"link_url": "https://example.org/%{project_path}", "image_url": picture})
        badge.link_url = "https://example.org/x"
        badge.save()
        assert place.badges.get(badge.id).link_url == "https://example.org/x"
        assert badge.id in [each.id for each in place.badges.list(get_all=True)]
        badge.delete()
        place.invitations.create({"email": ["py-one@example.org", "py-two@example.org"], "access_level": 30})
        assert [each.invite_email for each in place.invitations.list()] == ["py-one@example.org", "py-two@example.org"]
        place.invitations.update("py-one@example.org", {"access_level": 20})
        try:
            place.invitations.create({"email": "py-one@example.org", "access_level": 30})
        except gitlab.exceptions.GitlabInvitationError as error:
            assert "already been taken" in str(error), error
        else:
            raise AssertionError("an address was invited twice")
        place.invitations.delete("py-two@example.org")
    rendered = project.badges.render("https://example.org/%{project_path}", picture)
    assert rendered["rendered_link_url"] == "https://example.org/root/py-spaces", rendered
    assert rendered["rendered_image_url"] == "https://example.org/main.svg", rendered
    upload = project.upload("report.txt", filedata=b"uploaded")
    assert upload["markdown"] == f"[report.txt]({upload['url']})", upload
    for path in (upload["full_path"], f"/{project.path_with_namespace}{upload['url']}"):
        assert gl.session.get(URL + path).content == b"uploaded"
    invited = gl.users.create(
        {"username": "py-one", "name": "One", "email": "py-one@example.org", "password": "a long enough 1 pass"}
    )
    assert project.members.get(invited.id).access_level == 20
    invited.follow()
    assert [each.id for each in invited.followers_users.list()] == [gl.user.id]
    invited.unfollow()
    group.delete()


def test_notification_settings():
    project = new_project("py notified")
    group = gl.groups.create({"name": "py notified", "path": "py-notified"})
    everywhere = gl.notificationsettings.get()
    assert (everywhere.level, everywhere.notification_email) == ("participating", "admin@example.com"), everywhere
    everywhere.level = gitlab.const.NotificationLevel.WATCH
    everywhere.save()
    assert gl.notificationsettings.get().level == "watch"
    for place in (project, group):
        setting = place.notificationsettings.get()
        assert setting.level == "global" and not hasattr(setting, "events"), setting
        setting.level = gitlab.const.NotificationLevel.CUSTOM
        setting.new_note = True
        setting.save()
        events = place.notificationsettings.get().events
        assert (events["new_note"], events["close_issue"], events["failed_pipeline"]) == (True, None, True), events
        setting = place.notificationsettings.get()
        setting.level = "loud"
        assert "is not a valid level" in refused(400, setting.save)
    everywhere.level = "participating"
    everywhere.notification_email = "nobody@example.com"
    assert "must be an email you have verified" in str(refused(400, everywhere.save))
    everywhere.notification_email = "admin@example.com"
    everywhere.save()
    project.delete()
    group.delete()


def test_keys_accounts_and_the_server():
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "../fixtures/pgp/ana.asc"), encoding="ascii") as file:
        key = gl.user.gpgkeys.create({"key": file.read()})
    assert [each.id for each in gl.user.gpgkeys.list()] == [key.id]
    key.delete()
    group = gl.groups.create({"name": "py accounts", "path": "py-accounts"})
    account = group.service_accounts.create({"name": "Robot", "username": "py-robot"})
    assert [each.id for each in group.service_accounts.list()] == [account.id]
    token = account.access_tokens.create({"name": "t", "scopes": ["api"]})
    robot = gitlab.Gitlab(URL, private_token=token.token)
    robot.auth()
    assert robot.user.username == "py-robot"
    account.access_tokens.rotate(token.id)
    refused(401, robot.auth)
    account.delete()
    assert int(gl.statistics.get().users) >= 1
    look = gl.appearance.get()
    look.title = "Py"
    look.save()
    assert gl.appearance.get().title == "Py"
    assert gl.user_activities.list(get_all=True)[0].last_activity_on


def test_ci_lint():
    project = new_project("py lint")
    content = "build:\n  script: make\n"
    assert project.ci_lint.get().errors == ["Please provide content of .gitlab-ci.yml"]
    project.files.create(
        {"file_path": ".gitlab-ci.yml", "branch": "main", "content": content, "commit_message": "Build"}
    )
    found = project.ci_lint.get(include_jobs=True, dry_run=True)
    assert (found.valid, [job["name"] for job in found.jobs]) == (True, ["build"]), found
    assert project.ci_lint.create({"content": content}).merged_yaml == "---\n" + content
    project.ci_lint.validate({"content": content})
    invalid = project.ci_lint.create({"content": "invalid"})
    assert (invalid.valid, invalid.errors) == (False, ["Invalid configuration format"])
    try:
        project.ci_lint.validate({"content": "invalid"})
    except gitlab.exceptions.GitlabCiLintError:
        return
    raise AssertionError("an invalid configuration was taken")


CONFIG = """build:
  script: make
test:
  stage: test
  script: make test
  when: manual
"""


def take_job(project):
    """Has a new runner of the project take its next job. Gives the headers with which it reports on it, and the job."""
    runner = gl.user.runners.create({"runner_type": "project_type", "project_id": project.id})
    answer = gl.http_post("/jobs/request", post_data={"token": runner.token, "info": {}})
    return {"JOB-TOKEN": answer["token"]}, answer["id"]


def test_pipelines_and_jobs():
    gl.auth()
    project = new_project("py pipelines")
    project.files.create(
        {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CONFIG, "commit_message": "Build [skip ci]"}
    )
    # The pipeline that is skipped comes after the answer.
    while not project.pipelines.list(get_all=True):
        time.sleep(0.1)
    pipeline = project.pipelines.create({"ref": "main", "variables": [{"key": "A", "value": "1"}]})
    assert (pipeline.status, pipeline.source, pipeline.user["username"]) == ("pending", "api", "root"), pipeline
    assert [each.key for each in pipeline.variables.list()] == ["A"]
    assert refused(400, project.pipelines.create, {"ref": "nothing"}) == "Reference not found"
    build, test = sorted(pipeline.jobs.list(get_all=True), key=lambda job: job.name)
    assert (build.stage, build.pipeline["id"], test.status) == ("test", pipeline.id, "manual")

    headers, taken = take_job(project)
    assert taken == build.id
    log = {**headers, "Content-Type": "text/plain", "Content-Range": "0-4"}
    gl.session.patch(f"{URL}/api/v4/jobs/{taken}/trace", data=b"made\n", headers=log).raise_for_status()
    job = project.jobs.get(build.id)
    assert (job.status, job.trace()) == ("running", b"made\n"), job
    ended = {"token": headers["JOB-TOKEN"], "state": "failed", "failure_reason": "script_failure"}
    gl.session.put(f"{URL}/api/v4/jobs/{taken}", json=ended).raise_for_status()
    job = project.jobs.get(build.id)
    assert (job.status, job.failure_reason) == ("failed", "script_failure"), job

    again = job.retry()
    assert again["id"] != job.id
    assert [each.id for each in project.jobs.list(scope=["pending"], get_all=True)] == [again["id"]]
    assert len(pipeline.jobs.list(include_retried=True, get_all=True)) == 3
    assert {each.id for each in project.jobs.list(pagination="keyset", per_page=1, iterator=True)} == {
        job.id, again["id"], test.id
    }
    project.jobs.get(again["id"]).cancel()
    project.jobs.get(test.id).play()
    pipeline = project.pipelines.get(pipeline.id).cancel()
    assert pipeline["status"] == "canceled", pipeline
    assert project.pipelines.latest().id == pipeline["id"]
    assert [each.id for each in project.pipelines.list(status="canceled", ref="main")] == [pipeline["id"]]
    job.erase()
    assert project.jobs.get(job.id).trace() == b""
    project.pipelines.get(pipeline["id"]).retry()
    assert [each.status for each in project.pipelines.list(get_all=True)] == ["pending", "skipped"]
    statuses = project.commits.get("main").statuses.list(get_all=True)
    assert "build" in [each.name for each in statuses]
    assert project.commits.get("main").last_pipeline["id"] == pipeline["id"]
    project.pipelines.get(pipeline["id"]).delete()
    refused(404, project.pipelines.get, pipeline["id"])


def test_variables():
    project, group = new_project("py variables"), gl.groups.create({"name": "py variables", "path": "py-variables"})
    for holder in (project, group):
        made = holder.variables.create({"key": "A", "value": "one"})
        assert (made.value, made.environment_scope, made.variable_type) == ("one", "*", "env_var"), made
        made.value = "two"
        made.save()
        assert holder.variables.get("A").value == "two"
        holder.variables.create({"key": "A", "value": "live", "environment_scope": "production"})
        refused(409, holder.variables.get, "A")
        scoped = holder.variables.get("A", filter={"environment_scope": "production"})
        assert scoped.value == "live", scoped
        holder.variables.delete("A", filter={"environment_scope": "production"})
        assert len(holder.variables.list(get_all=True)) == 1
        refused(400, holder.variables.create, {"key": "A", "value": "x"})
    hidden = project.variables.create({"key": "H", "value": "topsecret", "masked_and_hidden": True})
    assert (hidden.value, hidden.hidden) == (None, True), hidden
    gl.variables.create({"key": "PY_INSTANCE", "value": "x"})
    gl.variables.update("PY_INSTANCE", {"value": "y"})
    assert gl.variables.get("PY_INSTANCE").value == "y"
    gl.variables.delete("PY_INSTANCE")


def test_schedules_and_triggers():
    project = new_project("py schedules")
    project.files.create(
        {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CONFIG, "commit_message": "Build [skip ci]"}
    )
    made = project.pipelineschedules.create({"ref": "main", "description": "Nightly", "cron": "0 4 * * *"})
    assert (made.ref, made.active, made.owner["username"]) == ("refs/heads/main", True, "root"), made
    made.cron = "0 5 * * *"
    made.save()
    made.variables.create({"key": "A", "value": "one"})
    made.variables.update("A", {"value": "two"})
    schedule = project.pipelineschedules.get(made.id)
    assert schedule.attributes["variables"][0]["value"] == "two", schedule
    schedule.take_ownership()
    schedule.play()
    assert [each.source for each in schedule.pipelines.list(get_all=True)] == ["schedule"]
    schedule.variables.delete("A")
    project.pipelineschedules.delete(made.id)
    assert project.pipelineschedules.list(get_all=True) == []
    refused(400, project.pipelineschedules.create, {"ref": "main", "description": "x", "cron": "never"})

    trigger = project.triggers.create({"description": "bot"})
    pipeline = project.trigger_pipeline("main", trigger.token, variables={"A": "b"})
    assert (pipeline.source, pipeline.user["username"]) == ("trigger", "root"), pipeline
    keys = [each.key for each in project.pipelines.get(pipeline.id).variables.list(get_all=True)]
    assert keys == ["A", "TRIGGER_PAYLOAD"], keys
    trigger.description = "other"
    trigger.save()
    trigger.delete()
    assert project.triggers.list(get_all=True) == []


def test_environments_and_deployments():
    project = new_project("py environments")
    sha = project.commits.get("main").id
    made = project.environments.create({"name": "review/one", "external_url": "https://one.example"})
    assert (made.tier, made.state) == ("development", "available"), made
    made.external_url = "https://two.example"
    made.save()
    refused(403, made.delete)
    deployment = project.deployments.create(
        {"environment": "review/one", "sha": sha, "ref": "main", "tag": False, "status": "running"}
    )
    deployment.status = "success"
    deployment.save()
    assert [each.id for each in project.deployments.list(environment="review/one")] == [deployment.id]
    assert deployment.mergerequests.list(get_all=True) == []
    shown = project.environments.get(made.id)
    assert shown.last_deployment["id"] == deployment.id, shown
    shown.stop()
    assert project.environments.list(states="stopped", get_all=True)[0].name == "review/one"
    shown.delete()
    assert project.resource_groups.list(get_all=True) == []


def new_merge_request(project, branch="feature", **more):
    action = {"action": "create", "file_path": f"{branch}.txt", "content": "one\ntwo\n"}
    project.commits.create(
        {"branch": branch, "start_branch": "main", "commit_message": f"Add {branch}", "actions": [action]}
    )
    return project.mergerequests.create({"source_branch": branch, "target_branch": "main", "title": branch, **more})


def new_user(name):
    """A user and a client that acts as them."""
    user = gl.users.create(
        {
            "username": name,
            "name": name,
            "email": f"{name}@example.org",
            "password": "a long enough 1 pass",
            "skip_confirmation": True,
        }
    )
    token = user.personal_access_tokens.create({"name": "t", "scopes": ["api"], "expires_at": NEXT_MONTH})
    return user, gitlab.Gitlab(URL, private_token=token.token)


def test_issue_links_and_events():
    project = new_project("py events")
    first = project.issues.create({"title": "first", "labels": "bug,slow"})
    second = project.issues.create({"title": "second"})
    source, target = first.links.create({"target_project_id": project.id, "target_issue_iid": second.iid})
    assert (source.iid, target.iid) == (first.iid, second.iid)
    link = first.links.list()[0]
    assert (link.iid, link.link_type) == (second.iid, "relates_to")
    first.links.delete(link.issue_link_id)
    assert first.links.list() == []
    milestone = project.milestones.create({"title": "1.0"})
    first.milestone_id = milestone.id
    first.weight = 5
    first.labels = ["bug"]
    first.state_event = "close"
    first.save()
    assert [(each.action, each.label["name"]) for each in first.resourcelabelevents.list()] == [
        ("add", "bug"),
        ("add", "slow"),
        ("remove", "slow"),
    ]
    state = first.resourcestateevents.list()[0]
    assert first.resourcestateevents.get(state.id).state == "closed"
    change = first.resourcemilestoneevents.list()[0]
    assert first.resourcemilestoneevents.get(change.id).milestone["title"] == "1.0"
    assert first.resource_weight_events.list()[0].weight == 5
    assert first.resource_iteration_events.list() == []
    merge = new_merge_request(project, labels=["bug"], milestone_id=milestone.id)
    assert [each.action for each in merge.resourcelabelevents.list()] == ["add"]
    assert [each.milestone["id"] for each in merge.resourcemilestoneevents.list()] == [milestone.id]
    merge.state_event = "close"
    merge.save()
    assert [each.state for each in merge.resourcestateevents.list()] == ["closed"]
    refused(404, merge.resourcestateevents.get, state.id)


def test_todos():
    project = new_project("py todos")
    user, other = new_user("py-todo")
    project.members.create({"user_id": user.id, "access_level": 30})
    issue = project.issues.create({"title": "for you", "assignee_ids": [user.id]})
    merge = new_merge_request(project, reviewer_ids=[user.id])
    issue.notes.create({"body": "look @py-todo"})
    # Those of mentions are made after the answer.
    found = {}
    deadline = time.monotonic() + 600
    while len(found) < 3 and time.monotonic() < deadline:
        found = {(each.action_name, each.target_type): each for each in other.todos.list(get_all=True)}
        time.sleep(0.05)
    assert set(found) == {("assigned", "Issue"), ("review_requested", "MergeRequest"), ("mentioned", "Issue")}, found
    assert found[("assigned", "Issue")].target["iid"] == issue.iid
    assert [each.target["iid"] for each in other.todos.list(type="MergeRequest")] == [merge.iid]
    found[("assigned", "Issue")].mark_as_done()
    assert len(other.todos.list(state="done")) == 1
    other.todos.mark_all_as_done()
    assert other.todos.list(state="pending") == []
    issue.todo()
    made = gl.todos.list()[0]
    assert (made.action_name, made.target["iid"]) == ("marked", issue.iid)
    refused(404, other.http_post, f"/todos/{made.id}/mark_as_done")
    made.mark_as_done()
    assert gl.todos.list() == []


def test_draft_notes():
    project = new_project("py drafts")
    merge = new_merge_request(project)
    refs = merge.diff_refs
    position = {
        "base_sha": refs["base_sha"],
        "start_sha": refs["start_sha"],
        "head_sha": refs["head_sha"],
        "position_type": "text",
        "new_path": "feature.txt",
        "old_path": "feature.txt",
        "new_line": 2,
    }
    draft = merge.draft_notes.create({"note": "on a line", "position": position})
    assert merge.notes.list(activity_filter="only_comments") == []
    draft.note = "on the line"
    draft.save()
    assert merge.draft_notes.get(draft.id).note == "on the line"
    draft.publish()
    refused(404, merge.draft_notes.get, draft.id)
    thread = [each for each in merge.discussions.list() if not each.attributes["individual_note"]][0]
    assert thread.attributes["notes"][0]["position"]["new_line"] == 2, thread
    merge.draft_notes.create({"note": "an answer", "in_reply_to_discussion_id": thread.id, "resolve_discussion": True})
    merge.draft_notes.create({"note": "beside it"})
    dropped = merge.draft_notes.create({"note": "dropped"})
    dropped.delete()
    merge.draft_notes.bulk_publish()
    assert merge.draft_notes.list() == []
    notes = merge.discussions.get(thread.id).attributes["notes"]
    assert [(each["body"], each["resolved"]) for each in notes] == [("on the line", True), ("an answer", True)], notes
    assert "beside it" in [each.body for each in merge.notes.list(get_all=True)]


def test_approvals():
    project = new_project("py approvals")
    user, other = new_user("py-approver")
    project.members.create({"user_id": user.id, "access_level": 30})
    settings = project.approvals.get()
    settings.reset_approvals_on_push = False
    settings.save()
    assert project.approvals.get().reset_approvals_on_push is False
    rule = project.approvalrules.create({"name": "security", "approvals_required": 1, "user_ids": [user.id]})
    rule.approvals_required = 2
    rule.name = "safety"
    rule.save()
    assert project.approvalrules.get(rule.id).name == "safety"
    merge = new_merge_request(project)
    assert [each["name"] for each in merge.approval_state.get().rules] == ["safety"]
    rule.delete()
    own = merge.approvals.set_approvers(1, approver_ids=[user.id], approval_rule_name="mine")
    again = merge.approvals.set_approvers(1, approver_ids=[user.id], approval_rule_name="mine")
    assert own.id == again.id
    assert merge.approvals.get().approved is False
    theirs = other.projects.get(project.id).mergerequests.get(merge.iid)
    theirs.approve(sha=merge.sha)
    assert merge.approvals.get().approved is True
    refused(401, theirs.approve)
    theirs.unapprove()
    assert merge.approvals.get().approved is False
    theirs.approve()
    merge.approval_rules.delete(own.id)
    done = merge.merge(should_remove_source_branch=True)
    assert done["state"] == "merged", done
    assert [each["iid"] for each in project.commits.get(merge.sha).merge_requests()] == [merge.iid]


def test_status_checks():
    project = new_project("py checks")
    check = project.external_status_checks.create({"name": "lint", "external_url": "https://checks.example.org/lint"})
    project.external_status_checks.update(check.id, {"name": "style"})
    assert [each.name for each in project.external_status_checks.list()] == ["style"]
    merge = new_merge_request(project)
    assert [(each.name, each.status) for each in merge.status_checks.list()] == [("style", "pending")]
    gl.http_post(
        f"/projects/{project.id}/merge_requests/{merge.iid}/status_check_responses",
        post_data={"sha": merge.sha, "external_status_check_id": check.id, "status": "passed"},
    )
    assert [each.status for each in merge.status_checks.list()] == ["passed"]
    check.delete()
    assert project.external_status_checks.list() == []


def test_feature_flags():
    project = new_project("flags")
    users = project.feature_flags_user_lists.create({"name": "staff", "user_xids": "ada,bo"})
    assert (users.iid, users.user_xids) == (1, "ada,bo")
    assert [found.name for found in project.feature_flags_user_lists.list(search="STA")] == ["staff"]
    flag = project.feature_flags.create(
        {
            "name": "new_cart",
            "version": "new_version_flag",
            "strategies": [
                {"name": "default", "parameters": {}, "scopes": [{"environment_scope": "production"}]},
                {"name": "svcUserList", "parameters": {}, "user_list_id": users.id},
            ],
        }
    )
    assert flag.active and [each["name"] for each in flag.strategies] == ["default", "svcUserList"]
    assert flag.strategies[1]["user_list"]["user_xids"] == "ada,bo"
    message = refused(409, project.feature_flags_user_lists.delete, users.iid)
    assert message == "User list is associated with a strategy", message
    flag.strategies = [
        {"id": flag.strategies[0]["id"], "scopes": [{"environment_scope": "staging"}]},
        {"id": flag.strategies[1]["id"], "_destroy": True},
    ]
    flag.name, flag.active = "cart", False
    flag.save()
    # The address of an object is that of its name, which has changed.
    flag = project.feature_flags.get("cart")
    assert not flag.active
    (strategy,) = flag.strategies
    assert [scope["environment_scope"] for scope in strategy["scopes"]] == ["production", "staging"]
    assert [found.name for found in project.feature_flags.list(scope="disabled")] == ["cart"]
    assert project.feature_flags.list(scope="enabled") == []
    users.user_xids = "cy"
    users.save()
    assert project.feature_flags_user_lists.get(1).user_xids == "cy"
    users.delete()
    assert refused(400, project.feature_flags.create, {"name": "Cart"}).startswith("Name can contain only")
    flag.delete()
    assert project.feature_flags.list() == []


def test_deletion_users_and_accounts():
    project = new_project("py gone")
    project.delete()
    refused(404, gl.projects.get, project.id)
    refused(404, project.restore)
    group = gl.groups.create({"name": "py gone", "path": "py-gone"})
    refused(400, group.restore)
    branch = group.protectedbranches.create({"name": "main", "push_access_level": 40})
    assert [each.name for each in group.protectedbranches.list()] == ["main"]
    branch.delete()
    refused(404, group.pushrules.get)
    group.pushrules.create({"max_file_size": 5})
    rules = group.pushrules.get()
    rules.prevent_secrets = True
    rules.save()
    assert (group.pushrules.get().max_file_size, group.pushrules.get().prevent_secrets) == (5, True)
    below = gl.projects.create({"name": "ruled", "namespace_id": group.id, "initialize_with_readme": True})
    text = refused(400, below.files.create, {"file_path": "id_rsa", "branch": "main", "content": "x", "commit_message": "x"})
    assert "prohibited by the pattern" in text, text
    rules.delete()
    below.files.create({"file_path": "id_rsa", "branch": "main", "content": "x", "commit_message": "x"})
    # python-gitlab knows no authorities of SSH certificates: its own requests do.
    at, key = f"/groups/{group.id}/ssh_certificates", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEYY5VCsBZYOixUfEKM3p2Y/aYZ1RizlwzpfsXMk5YKp"
    made = gl.http_post(at, post_data={"title": "Office", "key": f"{key} me@home"})
    assert (made["title"], made["key"]) == ("Office", key)
    assert gl.http_list(at, get_all=True) == [made]
    gl.http_delete(f"{at}/{made['id']}")
    assert gl.http_list(at, get_all=True) == []
    group.delete()
    refused(404, gl.groups.get, group.id)
    user, other = new_user("py-extras")
    user.deactivate()
    assert gl.users.get(user.id).state == "deactivated"
    user.activate()
    user.ban()
    refused(403, other.auth)
    user.unban()
    other.auth()
    assert "has been active" in refused(403, user.deactivate)
    user.customattributes.set("team", "red")
    assert user.customattributes.get("team").value == "red"
    email = user.emails.create({"email": "py-second@example.org", "skip_confirmation": True})
    email.delete()
    assert user.memberships.list() == []
    other.user.status.get()
    robot = gl.service_accounts.create({"name": "Robot"})
    gl.service_accounts.update(robot.id, {"name": "Machine"})
    assert "Machine" in [each.name for each in gl.service_accounts.list(get_all=True)]
    place = new_project("py robots")
    own = place.service_accounts.create({"name": "Own"})
    own.access_tokens.create({"name": "t", "scopes": ["api"]})
    own.delete()
    user.delete(hard_delete=True)


def test_releases():
    project = new_project("py releases")
    project.milestones.create({"title": "First"})
    release = project.releases.create(
        {
            "tag_name": "v1.0",
            "ref": "main",
            "name": "One",
            "description": "Notes",
            "milestones": ["First"],
            "assets": {"links": [{"name": "Site", "url": "https://example.org/", "link_type": "other"}]},
        }
    )
    assert release.commit["id"] == project.commits.list(ref_name="main")[0].id
    assert project.tags.get("v1.0").release["description"] == "Notes"
    assert [each.tag_name for each in project.releases.list()] == ["v1.0"]
    link = release.links.create({"name": "App", "url": "https://example.org/app", "filepath": "/bin/app"})
    assert link.direct_asset_url.endswith("/-/releases/v1.0/downloads/bin/app"), link
    link.name = "The app"
    link.url = "https://example.org/the-app"
    link.save()
    assert sorted(each.name for each in release.links.list()) == ["Site", "The app"]
    assert release.links.get(link.id).url == "https://example.org/the-app"
    link.delete()
    assert "already exists" in refused(409, project.releases.create, {"tag_name": "v1.0"})
    assert refused(422, project.releases.create, {"tag_name": "v2.0"}) == "Ref is not specified"
    release.description = "Other notes"
    release.save()
    assert project.releases.get("v1.0").description == "Other notes"
    project.releases.delete("v1.0")
    refused(404, project.releases.get, "v1.0")
    assert project.tags.get("v1.0").release is None


def test_packages():
    project = gl.projects.create({"name": "py packages", "path": "py-packages"})
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"the app")
        file.flush()
        for version in ("1.0", "2.0"):
            project.generic_packages.upload("py-app", version, "app.txt", file.name)
    assert project.generic_packages.download("py-app", "2.0", "app.txt") == b"the app"
    listed = project.packages.list(order_by="version", sort="desc", get_all=True)
    assert [each.version for each in listed] == ["2.0", "1.0"], listed
    package = project.packages.get(listed[0].id)
    assert [each["version"] for each in package.versions] == ["1.0"], package
    assert package.last_downloaded_at, package
    assert package.pipelines.list() == []
    rule = project.package_protection_rules.create(
        {"package_name_pattern": "py-*", "package_type": "generic", "minimum_access_level_for_push": "maintainer"}
    )
    rule.minimum_access_level_for_push = "owner"
    rule.save()
    [kept] = project.package_protection_rules.list()
    assert kept.minimum_access_level_for_push == "owner", kept
    kept.delete()
    [file] = package.package_files.list()
    assert file.file_name == "app.txt" and file.size == 7, file
    file.delete()
    assert package.package_files.list() == []
    package.delete()
    assert [each.version for each in project.packages.list(get_all=True)] == ["1.0"]
    refused(404, project.packages.get, package.id)


def test_integrations():
    group = gl.groups.create({"name": "py chats", "path": "py-chats"})
    project = gl.projects.create({"name": "chats", "namespace_id": group.id})
    links = {
        "project_url": "https://bugs.example.com",
        "issues_url": "https://bugs.example.com/:id",
        "new_issue_url": "https://bugs.example.com/new",
    }
    # The client has no class for those of groups.
    made = gl.http_put(f"/groups/{group.id}/integrations/custom-issue-tracker", post_data=links)
    assert made["active"] and made["properties"]["issues_url"] == links["issues_url"], made
    [inherited] = project.integrations.list()
    assert inherited.slug == "custom-issue-tracker" and inherited.inherited, inherited
    asana = project.integrations.update("asana", {"api_key": "sesame", "restrict_to_branch": "main"})
    assert asana["slug"] == "asana" and "api_key" not in asana["properties"], asana
    shown = project.integrations.get("asana")
    assert shown.active and shown.properties["restrict_to_branch"] == "main", shown
    shown.restrict_to_branch = "other"
    shown.save()
    assert project.integrations.get("asana").properties["restrict_to_branch"] == "other"
    assert "asana" in [each.slug for each in project.services.list()]
    assert "custom-issue-tracker" in project.integrations.available()
    shown.delete()
    assert not project.integrations.get("asana").active
    refused(400, project.integrations.update, "asana", {})
    refused(400, gl.http_put, f"/groups/{group.id}/integrations/jenkins", post_data={})
    refused(404, gl.http_get, f"/groups/{group.id}/integrations/asana")
    gl.http_delete(f"/groups/{group.id}/integrations/custom-issue-tracker")
    assert [each.slug for each in project.integrations.list()] == []
    group.delete()


class Receiver:
    """A server on loopback that is told things. Keeps the event, the headers and the body of each call."""

    def __init__(self):
        calls = self.calls = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                calls.append((self.headers["X-Gitlab-Event"], self.path, self.headers, body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def events(self):
        return [f"{event} {path}" for event, path, _, _ in self.calls]

    def wait(self, count):
        """Waits until it was called so often, and gives the events."""
        for _ in range(6_000):
            if len(self.calls) >= count:
                break
            time.sleep(0.1)
        return self.events()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def test_project_hooks():
    with Receiver() as receiver:
        project = gl.projects.create({"name": "py hooks", "initialize_with_readme": True})
        hook = project.hooks.create(
            {
                "url": f"{receiver.url}/{{place}}",
                "name": "Tells",
                "push_events": False,
                "issues_events": True,
                "token": "sesame",
                "custom_headers": [{"key": "X-Team", "value": "tools"}],
                "url_variables": [{"key": "place", "value": "here"}],
            }
        )
        assert hook.issues_events and not hook.push_events and hook.alert_status == "executable", hook
        assert hook.url_variables == [{"key": "place"}] and hook.custom_headers == [{"key": "X-Team"}], hook
        assert hook.token_present and not hasattr(hook, "token"), hook
        project.issues.create({"title": "Leak"})
        assert receiver.wait(1) == ["Issue Hook /here"], receiver.events()
        _, _, headers, body = receiver.calls[0]
        assert (headers["X-Gitlab-Token"], headers["X-Team"]) == ("sesame", "tools"), headers
        assert body["object_kind"] == "issue" and body["object_attributes"]["title"] == "Leak", body
        hook.test("push_events")
        assert receiver.events()[1] == "Push Hook /here", receiver.events()
        assert refused(422, hook.test, "note_events"), "there is no note"
        refused(400, hook.test, "nothing_events")

        # Lists that were looked at are sent back by the client, and these have no values.
        hook = project.hooks.get(hook.id)
        hook.push_events = True
        hook.push_events_branch_filter = "release-*"
        hook.branch_filter_strategy = "wildcard"
        hook.save()
        kept = project.hooks.get(hook.id)
        assert kept.push_events and kept.issues_events and kept.push_events_branch_filter == "release-*", kept
        assert kept.url_variables == [{"key": "place"}] and kept.token_present, kept

        # The client has no methods for what is below a hook.
        path = f"/projects/{project.id}/hooks/{hook.id}"
        logs = gl.http_list(f"{path}/events", get_all=True)
        assert [each["trigger"] for each in logs] == ["push_hooks", "issue_hooks"], logs
        assert [each["response_status"] for each in logs] == ["200", "200"], logs
        assert logs[0]["request_headers"]["X-Gitlab-Token"] == "[REDACTED]", logs[0]
        assert gl.http_list(f"{path}/events", query_data={"status": "server_failure"}, get_all=True) == []
        again = gl.http_post(f"{path}/events/{logs[1]['id']}/resend")
        assert again == {"response_status": 200}, again
        assert receiver.events()[2] == "Issue Hook /here", receiver.events()
        key = "Idempotency-Key"
        assert receiver.calls[2][2][key] == receiver.calls[0][2][key]
        gl.http_put(f"{path}/custom_headers/X-Other", post_data={"value": "more"})
        gl.http_delete(f"{path}/custom_headers/X-Team")
        refused(404, gl.http_delete, f"{path}/custom_headers/X-Team")
        assert project.hooks.get(hook.id).custom_headers == [{"key": "X-Other"}]
        # Headers are for the address that they were given with, which is another one now.
        gl.http_put(f"{path}/url_variables/place", post_data={"value": "there"})
        assert project.hooks.get(hook.id).custom_headers == []
        refused(422, gl.http_post, f"{path}/events/{logs[1]['id']}/resend")

        [listed] = project.hooks.list()
        assert listed.id == hook.id and not hasattr(listed, "url_variables"), listed
        listed.delete()
        refused(404, project.hooks.get, hook.id)
        assert refused(422, project.hooks.create, {"url": "ftp://example.org"}) == "Invalid url given"
        project.delete()


def test_group_hooks():
    with Receiver() as receiver:
        group = gl.groups.create({"name": "py hooking", "path": "py-hooking"})
        hook = group.hooks.create({"url": receiver.url, "push_events": False, "subgroup_events": True})
        assert hook.subgroup_events and not hook.push_events and hook.group_id == group.id, hook
        gl.groups.create({"name": "below", "path": "below", "parent_id": group.id})
        assert receiver.wait(1) == ["Subgroup Hook /"], receiver.events()
        project = gl.projects.create({"name": "in", "namespace_id": group.id, "initialize_with_readme": True})
        hook.test("push_events")
        assert receiver.events()[1] == "Push Hook /", receiver.events()
        hook.subgroup_events = False
        hook.save()
        assert not group.hooks.get(hook.id).subgroup_events
        [log, _] = gl.http_list(f"/groups/{group.id}/hooks/{hook.id}/events", get_all=True)
        assert gl.http_post(f"/groups/{group.id}/hooks/{hook.id}/events/{log['id']}/resend")["response_status"] == 200
        assert [each.id for each in group.hooks.list()] == [hook.id]
        hook.delete()
        assert group.hooks.list() == []
        project.delete()
        group.delete()


def test_system_hooks():
    with Receiver() as receiver:
        hook = gl.hooks.create({"url": receiver.url, "token": "open"})
        assert hook.repository_update_events and not hook.push_events and hook.enable_ssl_verification, hook
        assert gl.http_post(f"/hooks/{hook.id}")["event_name"] == "project_create"
        event, _, headers, body = receiver.calls[0]
        assert event == "System Hook" and headers["X-Gitlab-Token"] == "open" and body["name"] == "Ruby", body
        project = gl.projects.create({"name": "py told"})
        receiver.wait(2)
        assert receiver.calls[1][3]["event_name"] == "project_create", receiver.calls[1]
        assert receiver.calls[1][3]["project_id"] == project.id, receiver.calls[1]
        changed = gl.http_put(f"/hooks/{hook.id}", post_data={"push_events": True})
        assert changed["push_events"] and gl.hooks.get(hook.id).push_events, changed
        gl.http_put(f"/hooks/{hook.id}/custom_headers/X-Team", post_data={"value": "tools"})
        assert gl.hooks.get(hook.id).custom_headers == [{"key": "X-Team"}]
        assert [each.id for each in gl.hooks.list()] == [hook.id]
        gl.hooks.delete(hook.id)
        refused(404, gl.hooks.get, hook.id)
        project.delete()


def delayed_deletion_and_restore():
    group = gl.groups.create({"name": "py later", "path": "py-later"})
    project = gl.projects.create({"name": "later", "namespace_id": group.id})
    project.delete()
    marked = gl.projects.get(project.id)
    assert marked.marked_for_deletion_on, marked
    assert project.id not in [each.id for each in gl.projects.list(iterator=True)]
    marked.restore()
    kept = gl.projects.get(project.id)
    assert kept.marked_for_deletion_on is None and kept.path_with_namespace == "py-later/later", kept
    kept.delete()
    waiting = gl.projects.get(project.id)
    waiting.delete(permanently_remove=True, full_path=waiting.path_with_namespace)
    refused(404, gl.projects.get, project.id)
    group.delete()
    waiting = gl.groups.get(group.id)
    assert waiting.marked_for_deletion_on, waiting
    waiting.restore()
    assert gl.groups.get(group.id).marked_for_deletion_on is None
    refused(400, gl.groups.get(group.id).restore)


def main():
    failed = 0
    kind = sys.argv[1] if len(sys.argv) > 1 else "test_"
    tests = [(name, value) for name, value in globals().items() if name.startswith(kind)]
    for name, run in tests:
        try:
            run()
        except Exception:
            failed += 1
            print(f"python-gitlab {name}: failed")
            traceback.print_exc(file=sys.stdout)
        else:
            print(f"python-gitlab {name}: passed")
    print(f"RESULT {len(tests) - failed} {failed}")
    return 1 if failed else 0


sys.exit(main())
