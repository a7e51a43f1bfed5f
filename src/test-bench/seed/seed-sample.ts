/** A seed file to begin with: it works as it is, and its comments tell what else there is. */
export const SAMPLE_SEED = `# yaml-language-server: $schema=node_modules/stithy/dist/seed.schema.json
# A seed: what a server has at its start. "stithy serve --ephemeral --bench --seed FILE" begins with it, "stithy seed FILE" adds it.
# Keys are the parameters of the API; names stand where the API has ids. Ids come in the order of this file.

users:
  - username: ada
    name: Ada Lovelace
    password: correct-horse-battery
    tokens:
      - {token: glpat-ada-known-beforehand, scopes: [api]}
  - bob # a username alone will do; the address is bob@example.com

groups:
  - path: acme
    visibility: public
    members:
      - {user: ada, access_level: maintainer}
      - {user: bob, access_level: developer}
    labels: [bug, {name: feature, color: '#2e7d32'}]
    subgroups:
      - {path: tools, visibility: public}

projects:
  - path: web
    namespace: acme
    visibility: public
    description: A small site
    # import: ../some-repository    # takes over branches and tags instead of, or before, the commits
    commits:
      - message: Begin
        author: ada
        authored_date: 2026-01-05T09:00:00Z
        files:
          README.md: |
            # Web
          src/app.js: |
            console.log('hello');
      - branch: greet
        message: Greet everybody
        author: bob
        actions:
          - {action: update, file_path: src/app.js, content: "console.log('hello, everybody');"}
    tags: [{tag_name: v1.0, ref: main}]
    milestones: [{title: First release, due_date: 2026-03-01}]
    issues:
      - title: The greeting is short
        author: bob
        assignees: [ada]
        labels: [bug]
        milestone: First release
        notes:
          - {author: ada, body: I shall look at it., award_emoji: [{name: thumbsup, user: bob}]}
      - {title: 'Idea {n}', count: 3, labels: [feature]} # three issues: Idea 1 to Idea 3
    merge_requests:
      - source_branch: greet
        title: Greet everybody
        author: bob
        reviewers: [ada]
        discussions:
          - {position: {new_path: src/app.js, new_line: 1}, notes: [{author: ada, body: Why?}]}
    pipelines:
      - ref: greet
        user: bob
        jobs:
          - {name: build, stage: build, log: "built\\n", artifacts: {dist/app.js: 'hello'}}
          - {name: test, status: failed}
    releases: [{tag_name: v1.0, name: The first one, description: It greets.}]
    packages: [{name: web, version: 1.0.0, files: {web.txt: hello}}]
    variables: [{key: REGION, value: eu}]

# The time after the seed, for a server with a test bench:
# clock: {now: 2026-02-01T12:00:00Z, frozen: true}
`;
