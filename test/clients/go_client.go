// Drives a server with the unmodified Go client, whose types are strict. Address and token come from the environment.
package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"time"

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

// The calls that `glab issue create --linked-issues` makes: the link names no project.
func issues() error {
	project, err := newProject("go issues")
	if err != nil {
		return err
	}
	linked, _, err := client.Issues.CreateIssue(project.ID, &gitlab.CreateIssueOptions{Title: gitlab.Ptr("the cause")})
	if err != nil {
		return err
	}
	due := gitlab.ISOTime(time.Date(2099, 1, 2, 0, 0, 0, 0, time.UTC))
	issue, _, err := client.Issues.CreateIssue(project.ID, &gitlab.CreateIssueOptions{
		Title: gitlab.Ptr("it follows"), Labels: &gitlab.LabelOptions{"bug", "go"}, DueDate: &due, Weight: gitlab.Ptr(int64(3)),
	})
	if err != nil {
		return err
	}
	link, _, err := client.IssueLinks.CreateIssueLink(project.ID, issue.IID, &gitlab.CreateIssueLinkOptions{
		TargetIssueIID: gitlab.Ptr(strconv.FormatInt(linked.IID, 10)), LinkType: gitlab.Ptr("is_blocked_by"),
	})
	if err != nil {
		return err
	}
	relations, _, relationsErr := client.IssueLinks.ListIssueRelations(project.ID, issue.IID)
	list, _, listErr := client.Issues.ListProjectIssues(project.ID, &gitlab.ListProjectIssuesOptions{
		State: gitlab.Ptr("opened"), Labels: &gitlab.LabelOptions{"bug"},
	})
	_, _, noteErr := client.Notes.CreateIssueNote(project.ID, issue.IID, &gitlab.CreateIssueNoteOptions{Body: gitlab.Ptr("noted")})
	_, _, closeErr := client.Issues.UpdateIssue(project.ID, issue.IID, &gitlab.UpdateIssueOptions{StateEvent: gitlab.Ptr("close")})
	states, _, statesErr := client.ResourceStateEvents.ListIssueStateEvents(project.ID, issue.IID, nil)
	labels, _, labelsErr := client.ResourceLabelEvents.ListIssueLabelEvents(project.ID, issue.IID, nil)
	if err := errors.Join(relationsErr, listErr, noteErr, closeErr, statesErr, labelsErr); err != nil {
		return err
	}
	return errors.Join(
		check(link.SourceIssue.IID == issue.IID && link.TargetIssue.IID == linked.IID, "another link: %+v", link),
		check(len(relations) == 1 && relations[0].LinkType == "is_blocked_by", "relations: %+v", relations),
		check(len(list) == 1 && list[0].IID == issue.IID && list[0].DueDate.String() == "2099-01-02", "found: %+v", list),
		check(len(states) == 1 && len(labels) == 2, "%d states, %d labels", len(states), len(labels)))
}

// The calls of `glab mr create`, `list`, `view`, `approve` and `merge`.
func mergeRequests() error {
	project, err := newProject("go merge")
	if err != nil {
		return err
	}
	_, _, err = client.Commits.CreateCommit(project.ID, &gitlab.CreateCommitOptions{
		Branch: gitlab.Ptr("feature"), StartBranch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("a feature"),
		Actions: []*gitlab.CommitActionOptions{
			{Action: gitlab.Ptr(gitlab.FileCreate), FilePath: gitlab.Ptr("feature.txt"), Content: gitlab.Ptr("a\n")},
		},
	})
	if err != nil {
		return err
	}
	issue, _, err := client.Issues.CreateIssue(project.ID, &gitlab.CreateIssueOptions{Title: gitlab.Ptr("no feature")})
	if err != nil {
		return err
	}
	merge, _, err := client.MergeRequests.CreateMergeRequest(project.ID, &gitlab.CreateMergeRequestOptions{
		SourceBranch: gitlab.Ptr("feature"), TargetBranch: gitlab.Ptr("main"), Title: gitlab.Ptr("Feature"),
		Description: gitlab.Ptr(fmt.Sprintf("Closes #%d", issue.IID)), Labels: &gitlab.LabelOptions{"go"},
		TargetProjectID: gitlab.Ptr(project.ID), RemoveSourceBranch: gitlab.Ptr(true),
	})
	if err != nil {
		return err
	}
	list, _, listErr := client.MergeRequests.ListProjectMergeRequests(project.ID, &gitlab.ListProjectMergeRequestsOptions{
		SourceBranch: gitlab.Ptr("feature"), State: gitlab.Ptr("opened"),
	})
	closes, _, closesErr := client.MergeRequests.GetIssuesClosedOnMerge(project.ID, merge.IID, nil)
	diffs, _, diffsErr := client.MergeRequests.ListMergeRequestDiffs(project.ID, merge.IID, nil)
	_, _, settingErr := client.Projects.ChangeApprovalConfiguration(project.ID, &gitlab.ChangeApprovalConfigurationOptions{
		MergeRequestsAuthorApproval: gitlab.Ptr(true),
	})
	_, _, approveErr := client.MergeRequestApprovals.ApproveMergeRequest(project.ID, merge.IID, &gitlab.ApproveMergeRequestOptions{
		SHA: gitlab.Ptr(merge.SHA),
	})
	_, _, stateErr := client.MergeRequestApprovals.GetApprovalState(project.ID, merge.IID)
	merged, _, mergeErr := client.MergeRequests.AcceptMergeRequest(project.ID, merge.IID, &gitlab.AcceptMergeRequestOptions{
		SHA: gitlab.Ptr(merge.SHA), ShouldRemoveSourceBranch: gitlab.Ptr(true),
	})
	if err := errors.Join(listErr, closesErr, diffsErr, settingErr, approveErr, stateErr, mergeErr); err != nil {
		return err
	}
	of, _, ofErr := client.Commits.ListMergeRequestsByCommit(project.ID, merge.SHA)
	_, response, branchErr := client.Branches.GetBranch(project.ID, "feature")
	return errors.Join(ofErr,
		check(len(list) == 1 && list[0].IID == merge.IID, "found: %+v", list),
		check(len(closes) == 1 && closes[0].IID == issue.IID, "closes: %+v", closes),
		check(len(diffs) == 1 && diffs[0].NewFile, "diffs: %+v", diffs),
		check(merged.State == "merged" && merged.MergedAt != nil, "state %s", merged.State),
		check(len(of) == 1 && of[0].IID == merge.IID, "of the commit: %+v", of),
		check(branchErr != nil && response.StatusCode == http.StatusNotFound, "the branch is still there"))
}

// What `glab api graphql` sends.
func pipelines() error {
	project, err := newProject("go pipelines")
	if err != nil {
		return err
	}
	_, _, err = client.RepositoryFiles.CreateFile(project.ID, ".gitlab-ci.yml", &gitlab.CreateFileOptions{
		Branch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("Build [skip ci]"),
		Content: gitlab.Ptr("build:\n  script: make\n  tags: [go]\nchild:\n  trigger:\n    project: root/go-nothing\n"),
	})
	if err != nil {
		return err
	}
	// The pipeline of the push is created behind its answer.
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		pushed, _, err := client.Pipelines.ListProjectPipelines(project.ID, nil)
		if err != nil {
			return err
		}
		if len(pushed) > 0 || time.Now().After(end) {
			break
		}
	}
	pipeline, _, err := client.Pipelines.CreatePipeline(project.ID, &gitlab.CreatePipelineOptions{
		Ref: gitlab.Ptr("main"),
		Variables: &[]*gitlab.PipelineVariableOptions{
			{Key: gitlab.Ptr("A"), Value: gitlab.Ptr("1"), VariableType: gitlab.Ptr(gitlab.EnvVariableType)},
		},
	})
	if err != nil {
		return err
	}
	list, _, listErr := client.Pipelines.ListProjectPipelines(project.ID, nil)
	latest, _, latestErr := client.Pipelines.GetLatestPipeline(project.ID, nil)
	variables, _, variablesErr := client.Pipelines.GetPipelineVariables(project.ID, pipeline.ID)
	jobs, _, jobsErr := client.Jobs.ListPipelineJobs(project.ID, pipeline.ID, nil)
	bridges, _, bridgesErr := client.Jobs.ListPipelineBridges(project.ID, pipeline.ID, nil)
	all, _, allErr := client.Jobs.ListProjectJobs(project.ID, nil)
	if err := errors.Join(listErr, latestErr, variablesErr, jobsErr, bridgesErr, allErr); err != nil {
		return err
	}
	if len(jobs) != 1 || len(bridges) != 1 || len(all) != 1 {
		return fmt.Errorf("%d jobs, %d bridges, %d in all", len(jobs), len(bridges), len(all))
	}
	job, _, jobErr := client.Jobs.GetJob(project.ID, jobs[0].ID)
	_, _, traceErr := client.Jobs.GetTraceFile(project.ID, jobs[0].ID)
	canceled, _, cancelErr := client.Jobs.CancelJob(project.ID, jobs[0].ID, nil)
	retried, _, retryErr := client.Jobs.RetryJob(project.ID, jobs[0].ID)
	stopped, _, stopErr := client.Pipelines.CancelPipelineBuild(project.ID, pipeline.ID)
	restarted, _, restartErr := client.Pipelines.RetryPipelineBuild(project.ID, pipeline.ID)
	_, deleteErr := client.Pipelines.DeletePipeline(project.ID, pipeline.ID)
	if err := errors.Join(jobErr, traceErr, cancelErr, retryErr, stopErr, restartErr, deleteErr); err != nil {
		return err
	}
	return errors.Join(
		check(len(list) == 2 && list[1].Status == "skipped" && list[0].ID == pipeline.ID && list[0].CreatedAt != nil, "list: %+v", list),
		check(latest.ID == pipeline.ID && latest.DetailedStatus.Group != "", "latest: %+v", latest),
		check(len(variables) == 1 && variables[0].Key == "A", "variables: %+v", variables),
		check(job.Name == "build" && job.Pipeline.ID == pipeline.ID && job.Commit.ID == pipeline.SHA, "job: %+v", job),
		check(len(job.TagList) == 1 && job.User.Username == "root", "job: %+v", job),
		check(canceled.Status == "canceled" && retried.ID != job.ID, "%s, %d", canceled.Status, retried.ID),
		check(stopped.Status != "pending" && restarted.ID == pipeline.ID, "%s, %d", stopped.Status, restarted.ID),
	)
}

func graphql() error {
	project, err := newProject("go graph")
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			CurrentUser struct{ Username string }
			Project     struct {
				ID       string
				FullPath string
			}
		}
	}
	_, err = client.GraphQL.Do(gitlab.GraphQLQuery{
		Query:     "query($path: ID!) { currentUser { username } project(fullPath: $path) { id fullPath } }",
		Variables: map[string]any{"path": project.PathWithNamespace},
	}, &answer)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("gid://gitlab/Project/%d", project.ID)
	return errors.Join(
		check(answer.Data.CurrentUser.Username == "root", "user %q", answer.Data.CurrentUser.Username),
		check(answer.Data.Project.ID == id && answer.Data.Project.FullPath == "root/go-graph", "project %+v", answer.Data.Project))
}

// send asks the server as a runner does, and gives the status and what was answered.
func send(method, path, token, contentType string, body []byte) (int, []byte, error) {
	request, err := http.NewRequest(method, os.Getenv("STITHY_URL")+"/api/v4"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("JOB-TOKEN", token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// runJob takes the one job of a project, leaves an archive, and ends it.
func runJob(project *gitlab.Project, archive []byte) (int64, error) {
	registration, _, err := client.Runners.ResetProjectRunnerRegistrationToken(project.ID)
	if err != nil {
		return 0, err
	}
	runner, _, err := client.Runners.RegisterNewRunner(&gitlab.RegisterNewRunnerOptions{Token: registration.Token})
	if err != nil {
		return 0, err
	}
	var job struct {
		ID    int64
		Token string
	}
	ask, _ := json.Marshal(map[string]any{"token": runner.Token, "info": map[string]any{"features": map[string]bool{"refspecs": true}}})
	for try := 0; try < 100 && job.ID == 0; try++ {
		status, answer, err := send("POST", "/jobs/request", "", "application/json", ask)
		if err != nil {
			return 0, err
		}
		if status == http.StatusCreated {
			if err := json.Unmarshal(answer, &job); err != nil {
				return 0, err
			}
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", "artifacts.zip")
	part.Write(archive)
	form.Close()
	path := fmt.Sprintf("/jobs/%d", job.ID)
	uploaded, said, err := send("POST", path+"/artifacts", job.Token, form.FormDataContentType(), body.Bytes())
	if err != nil || uploaded != http.StatusCreated {
		return 0, fmt.Errorf("upload: %d %s %v", uploaded, said, err)
	}
	end, _ := json.Marshal(map[string]string{"token": job.Token, "state": "success"})
	ended, said, err := send("PUT", path, "", "application/json", end)
	if err != nil || ended >= 300 {
		return 0, fmt.Errorf("end: %d %s %v", ended, said, err)
	}
	return job.ID, nil
}

func artifacts() error {
	project, err := newProject("go artifacts")
	if err != nil {
		return err
	}
	_, _, err = client.RepositoryFiles.CreateFile(project.ID, ".gitlab-ci.yml", &gitlab.CreateFileOptions{
		Branch: gitlab.Ptr("main"), CommitMessage: gitlab.Ptr("ci"),
		Content: gitlab.Ptr("build:\n  script: make\n  artifacts:\n    paths: [out/]\n"),
	})
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	writer := zip.NewWriter(&archive)
	file, _ := writer.Create("out/hello.txt")
	file.Write([]byte("hello"))
	writer.Close()
	id, err := runJob(project, archive.Bytes())
	if err != nil {
		return err
	}
	of := &gitlab.DownloadArtifactsFileOptions{Job: gitlab.Ptr("build")}
	whole, _, wholeErr := client.Jobs.GetJobArtifacts(project.ID, id)
	single, _, singleErr := client.Jobs.DownloadSingleArtifactsFile(project.ID, id, "out/hello.txt")
	var byRef, byRefFile *bytes.Reader
	var refErr, refFileErr error
	for try := 0; try < 100; try++ {
		byRef, _, refErr = client.Jobs.DownloadArtifactsFile(project.ID, "main", of)
		byRefFile, _, refFileErr = client.Jobs.DownloadSingleArtifactsFileByTagOrBranch(project.ID, "main", "out/hello.txt", of)
		if refErr == nil && refFileErr == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := errors.Join(wholeErr, singleErr, refErr, refFileErr); err != nil {
		return err
	}
	kept, _, keepErr := client.Jobs.KeepArtifacts(project.ID, id)
	report, _, reportErr := client.Pipelines.GetPipelineTestReport(project.ID, kept.Pipeline.ID)
	_, deleteErr := client.Jobs.DeleteArtifacts(project.ID, id)
	_, allErr := client.Jobs.DeleteProjectArtifacts(project.ID)
	_, gone, _ := client.Jobs.GetJobArtifacts(project.ID, id)
	text, _ := io.ReadAll(single)
	refText, _ := io.ReadAll(byRefFile)
	return errors.Join(keepErr, reportErr, deleteErr, allErr,
		check(whole.Len() == archive.Len() && byRef.Len() == archive.Len(), "%d and %d bytes", whole.Len(), byRef.Len()),
		check(string(text) == "hello" && string(refText) == "hello", "%q and %q", text, refText),
		check(kept.ArtifactsFile.Filename == "artifacts.zip" && kept.ArtifactsExpireAt == nil, "job %+v", kept),
		check(report.TotalCount == 0, "report %+v", report),
		check(gone.StatusCode == http.StatusNotFound, "they are still there"))
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
	}{{"projects", projects}, {"groups", groups}, {"repository", repository}, {"issues", issues}, {"merge requests", mergeRequests}, {"pipelines", pipelines}, {"graphql", graphql}, {"artifacts", artifacts}} {
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
