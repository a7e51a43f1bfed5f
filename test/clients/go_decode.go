// Has client-go decode answers: each method of each of its services is called as often as there are answers of the operation
// that it asks for, by a transport that gives them one after the other. What they are stands in the file of the first
// argument: the operations of the document, and the answers of each. Methods are found by reflection, so those of a later
// version take part by themselves. A line of JSON tells of each answer that a method cannot decode.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

type answer struct {
	Status int             `json:"status"`
	Type   string          `json:"type"`
	Body   json.RawMessage `json:"body"`
	Origin string          `json:"origin"`
}

type operation struct {
	Method  string   `json:"method"`
	Path    string   `json:"path"`
	Answers []answer `json:"answers"`
	parts   []string
}

type finding struct {
	Method    string `json:"method"`
	Operation string `json:"operation"`
	Origin    string `json:"origin"`
	Error     string `json:"error"`
}

var errNothing = errors.New("there is nothing to answer with")

// transport answers every request with the next answer of its operation.
type transport struct {
	operations []*operation
	next       int
	asked      string
	found      *operation
}

// of finds the operation whose path has the most fixed parts in common with an address.
func (t *transport) of(method, path string) *operation {
	parts := strings.Split(path, "/")
	var best *operation
	most := -1
	for _, each := range t.operations {
		if each.Method != method || len(each.parts) != len(parts) {
			continue
		}
		fixed := 0
		for i, part := range each.parts {
			if part == parts[i] {
				fixed++
			} else if !strings.Contains(part, "{") {
				fixed = -1
				break
			}
		}
		if fixed > most {
			best, most = each, fixed
		}
	}
	return best
}

func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.asked != "" {
		return nil, errNothing
	}
	path := request.URL.EscapedPath()
	t.asked = request.Method + " " + path
	t.found = t.of(request.Method, path)
	if t.found == nil || t.next >= len(t.found.Answers) {
		return nil, errNothing
	}
	given := t.found.Answers[t.next]
	header := http.Header{}
	if given.Type != "" {
		header.Set("Content-Type", given.Type)
	}
	return &http.Response{
		StatusCode: given.Status, Header: header, Request: request,
		Body: io.NopCloser(strings.NewReader(string(given.Body))),
	}, nil
}

// fill sets the texts of options, some of which a method refuses to go without.
func fill(value reflect.Value, depth int) {
	for i := range value.NumField() {
		field := value.Field(i)
		if !field.CanSet() || depth == 0 {
			continue
		}
		if field.Kind() == reflect.Pointer && field.Type().Elem().Kind() == reflect.String {
			field.Set(reflect.New(field.Type().Elem()))
			field.Elem().SetString("eleven")
		}
	}
}

// argument makes something of a type that a request can be made with.
func argument(kind reflect.Type) reflect.Value {
	switch kind.Kind() {
	case reflect.Interface:
		if reader := reflect.ValueOf(strings.NewReader("x")); reader.Type().Implements(kind) && kind.NumMethod() > 0 {
			return reader
		}
		if kind.NumMethod() == 0 {
			return reflect.ValueOf(11)
		}
	case reflect.Int, reflect.Int64:
		return reflect.ValueOf(11).Convert(kind)
	case reflect.String:
		return reflect.ValueOf("eleven").Convert(kind)
	case reflect.Pointer:
		made := reflect.New(kind.Elem())
		if kind.Elem().Kind() == reflect.Struct && kind.Elem() != reflect.TypeFor[time.Time]() {
			fill(made.Elem(), 1)
		}
		return made
	}
	return reflect.Zero(kind)
}

// call calls a method. A panic of the client is an error like any other.
func call(method reflect.Value) (err error) {
	defer func() {
		if said := recover(); said != nil {
			err = fmt.Errorf("panic: %v", said)
		}
	}()
	kind := method.Type()
	arguments := []reflect.Value{}
	for i := range kind.NumIn() {
		if !kind.IsVariadic() || i < kind.NumIn()-1 {
			arguments = append(arguments, argument(kind.In(i)))
		}
	}
	results := method.Call(arguments)
	err, _ = results[len(results)-1].Interface().(error)
	return err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	server := &transport{}
	if err := json.Unmarshal(text, &server.operations); err != nil {
		panic(err)
	}
	for _, each := range server.operations {
		each.parts = strings.Split(each.Path, "/")
	}
	client, err := gitlab.NewClient("t", gitlab.WithBaseURL("http://stithy"), gitlab.WithoutRetries(),
		gitlab.WithHTTPClient(&http.Client{Transport: server}))
	if err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	services := reflect.ValueOf(client).Elem()
	methods, decoded, unserved := 0, 0, []string{}
	for i := range services.NumField() {
		service := services.Field(i)
		field := services.Type().Field(i)
		if !field.IsExported() || service.Kind() != reflect.Interface {
			continue
		}
		for j := range service.NumMethod() {
			name := field.Name + "." + service.Type().Method(j).Name
			for server.next = 0; ; server.next++ {
				server.asked, server.found = "", nil
				err := call(service.Method(j))
				if server.found == nil {
					if server.asked != "" {
						unserved = append(unserved, name+" "+server.asked)
					}
					break
				}
				if server.next >= len(server.found.Answers) {
					break
				}
				decoded++
				if err != nil && !errors.Is(err, errNothing) {
					origin := server.found.Answers[server.next].Origin
					out.Encode(finding{name, server.found.Method + " " + server.found.Path, origin, err.Error()})
				}
			}
			if server.found != nil {
				methods++
			}
		}
	}
	slices.Sort(unserved)
	out.Encode(map[string]any{"methods": methods, "decoded": decoded, "unserved": unserved})
}
