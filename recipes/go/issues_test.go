package forge

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var stithy struct{ URL, Token string }

// TestMain starts a server for all tests of the package.
func TestMain(m *testing.M) {
	command := exec.Command("stithy", "serve", "--ephemeral", "--bench", "--port", "0", "--seed", "stithy.seed.yml",
		"--json", "--log-level", "error")
	command.Stderr = os.Stderr
	ready, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err == nil {
		err = json.NewDecoder(ready).Decode(&stithy)
	}
	if err != nil {
		log.Fatal("stithy did not start: ", err)
	}
	code := m.Run()
	command.Process.Signal(os.Interrupt)
	command.Wait()
	os.Exit(code)
}

// reset puts the server back to what the seed made. Every test begins with it.
func reset(t *testing.T) {
	t.Helper()
	call(t, "POST", "/-/bench/reset", "", nil)
}

func call(t *testing.T, method, path, body string, answer any) {
	t.Helper()
	request, err := http.NewRequest(method, stithy.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("PRIVATE-TOKEN", stithy.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s", method, path, response.Status)
	}
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			t.Fatal(err)
		}
	}
}

// The seed made issues 1 to 4. What is tested gets stithy.URL and stithy.Token.
func TestIssue(t *testing.T)        { testFifthIssue(t, "Broken") }
func TestAnotherIssue(t *testing.T) { testFifthIssue(t, "Broken again") }

func testFifthIssue(t *testing.T, title string) {
	reset(t)
	var issue struct{ IID int }
	call(t, "POST", "/api/v4/projects/acme%2Fweb/issues", `{"title": "`+title+`"}`, &issue)
	if issue.IID != 5 {
		t.Errorf("the issue is %d", issue.IID)
	}
}
