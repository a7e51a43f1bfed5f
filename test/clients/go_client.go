// Drives a server with the unmodified Go client, whose types are strict. Address and token come from the environment.
package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

var client *gitlab.Client

func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func newProject(name string) (*gitlab.Project, error) {
	project, _, err := client.Projects.CreateProject(&gitlab.CreateProjectOptions{
		Name: gitlab.Ptr(name), InitializeWithReadme: gitlab.Ptr(true),
	})
	return project, err
}

func projects() error {
	project, err := newProject("go project")
	if err != nil {
		return err
	}
	found, _, err := client.Projects.GetProject("root/go-project", nil)
	if err != nil {
		return err
	}
	list, _, listErr := client.Projects.ListProjects(&gitlab.ListProjectsOptions{Search: gitlab.Ptr("go pro")})
	_, deleteErr := client.Projects.DeleteProject(project.ID, nil)
	_, response, gone := client.Projects.GetProject(project.ID, nil)
	return errors.Join(
		check(found.ID == project.ID && found.CreatedAt != nil, "another project: %+v", found),
		listErr, check(len(list) == 1, "%d projects found", len(list)), deleteErr,
		check(gone != nil && response.StatusCode == http.StatusNotFound, "it is still there"),
	)
}

func groups() error {
	group, _, err := client.Groups.CreateGroup(&gitlab.CreateGroupOptions{
		Name: gitlab.Ptr("go"), Path: gitlab.Ptr("go-group"),
	})
	if err != nil {
		return err
	}
	user, _, err := client.Users.CreateUser(&gitlab.CreateUserOptions{
		Username: gitlab.Ptr("gouser"), Name: gitlab.Ptr("Go"), Email: gitlab.Ptr("go@example.org"),
		Password: gitlab.Ptr("a long enough 1 pass"),
	})
	if err != nil {
		return err
	}
	member, _, err := client.GroupMembers.AddGroupMember(group.ID, &gitlab.AddGroupMemberOptions{
		UserID: gitlab.Ptr(user.ID), AccessLevel: gitlab.Ptr(gitlab.DeveloperPermissions),
	})
	if err != nil {
		return err
	}
	members, _, err := client.Groups.ListAllGroupMembers(group.ID, nil)
	return errors.Join(err,
		check(member.AccessLevel == gitlab.DeveloperPermissions, "level %d", member.AccessLevel),
		check(len(members) == 2, "%d members", len(members)))
}

func repository() error {
	project, err := newProject("go repository")
	if err != nil {
		return err
	}
	commit, _, err := client.Commits.CreateCommit(project.ID, &gitlab.CreateCommitOptions{
		Branch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("several"),
		Actions: []*gitlab.CommitActionOptions{
			{Action: gitlab.Ptr(gitlab.FileCreate), FilePath: gitlab.Ptr("a b.txt"), Content: gitlab.Ptr("a\n")},
			{Action: gitlab.Ptr(gitlab.FileChmod), FilePath: gitlab.Ptr("README.md"), ExecuteFilemode: gitlab.Ptr(true)},
		},
	})
	if err != nil {
		return err
	}
	commits, _, listErr := client.Commits.ListCommits(project.ID, &gitlab.ListCommitsOptions{RefName: gitlab.Ptr("main")})
	file, _, fileErr := client.RepositoryFiles.GetFile(project.ID, "a b.txt", &gitlab.GetFileOptions{Ref: gitlab.Ptr("main")})
	meta, _, metaErr := client.RepositoryFiles.GetFileMetaData(
		project.ID, "a b.txt", &gitlab.GetFileMetaDataOptions{Ref: gitlab.Ptr("main")})
	raw, _, rawErr := client.RepositoryFiles.GetRawFile(
		project.ID, "a b.txt", &gitlab.GetRawFileOptions{Ref: gitlab.Ptr("main")})
	blame, _, blameErr := client.RepositoryFiles.GetFileBlame(
		project.ID, "a b.txt", &gitlab.GetFileBlameOptions{Ref: gitlab.Ptr("main")})
	if err := errors.Join(listErr, fileErr, metaErr, rawErr, blameErr); err != nil {
		return err
	}
	branch, _, branchErr := client.Branches.CreateBranch(project.ID, &gitlab.CreateBranchOptions{
		Branch: gitlab.Ptr("go/x"), Ref: gitlab.Ptr("main"),
	})
	tag, _, tagErr := client.Tags.CreateTag(project.ID, &gitlab.CreateTagOptions{
		TagName: gitlab.Ptr("v1"), Ref: gitlab.Ptr("main"), Message: gitlab.Ptr("one"),
	})
	protected, _, protectErr := client.ProtectedBranches.ProtectRepositoryBranches(
		project.ID, &gitlab.ProtectRepositoryBranchesOptions{Name: gitlab.Ptr("go/*")})
	if err := errors.Join(branchErr, tagErr, protectErr); err != nil {
		return err
	}
	return errors.Join(
		check(len(commits) == 2 && commits[0].ID == commit.ID, "%d commits", len(commits)),
		check(file.BlobID == meta.BlobID && meta.LastCommitID == commit.ID && meta.Size == 2, "metadata %+v", meta),
		check(string(raw) == "a\n", "raw %q", raw),
		check(len(blame) == 1 && blame[0].Commit.ID == commit.ID, "blame %+v", blame),
		check(branch.Commit.ID == commit.ID && tag.Message == "one", "branch %+v, tag %+v", branch, tag),
		check(protected.Name == "go/*", "protected %+v", protected),
	)
}

func main() {
	var err error
	client, err = gitlab.NewClient(os.Getenv("STITHY_TOKEN"), gitlab.WithBaseURL(os.Getenv("STITHY_URL")))
	if err != nil {
		panic(err)
	}
	passed, failed := 0, 0
	for _, test := range []struct {
		name string
		run  func() error
	}{{"projects", projects}, {"groups", groups}, {"repository", repository}} {
		if err := test.run(); err != nil {
			failed++
			fmt.Printf("client-go %s: failed: %v\n", test.name, err)
		} else {
			passed++
			fmt.Printf("client-go %s: passed\n", test.name)
		}
	}
	fmt.Printf("RESULT %d %d\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
