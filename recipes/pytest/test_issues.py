import pytest


# The seed made issues 1 to 4. What is tested gets stithy.url and stithy.token.
@pytest.mark.parametrize("title", ["Broken", "Broken again"])
def test_an_issue_is_the_fifth(stithy, title):
    issue = stithy.call("POST", "/api/v4/projects/acme%2Fweb/issues", {"title": title})
    assert issue["iid"] == 5
