"""Drives a server with the unmodified python-gitlab. Address and token come from the environment."""

import base64
import datetime
import os
import sys
import traceback

import gitlab

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


def main():
    failed = 0
    tests = [(name, value) for name, value in globals().items() if name.startswith("test_")]
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
