import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';
import { commitFiles } from '../../../test/support/commits.ts';

/** Whatever was asked for: what is not there fails the assertion that looks at it. */
type Json = ReturnType<typeof JSON.parse>;

interface Answer {
  data?: Json;
  errors?: { message: string }[];
}

let app: TestApp;
let project: number;
let path: string;
let stranger: string;
before(async () => {
  app = await buildTestApp();
  const made = await app.post('/projects', {
    json: { name: 'p', initialize_with_readme: true, visibility: 'private' },
  });
  ({ id: project, path_with_namespace: path } = expectStatus<{ id: number; path_with_namespace: string }>(made, 201));
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const json = { title: name, labels: name === 'one' ? 'bug' : '' };
    expectStatus(await app.post(`/projects/${project}/issues`, { json }), 201);
  }
  await commitFiles(app, project, { a: 'a' }, { branch: 'topic', start_branch: 'main', commit_message: 'Topic' });
  const request = { source_branch: 'topic', target_branch: 'main', title: 'Draft: Topic', assignee_id: 1 };
  expectStatus(await app.post(`/projects/${project}/merge_requests`, { json: request }), 201);
  await app.drain();
  ({ token: stranger } = await app.make.user());
});
after(() => app.close());

async function ask(
  query: string,
  options: { token?: string | null; variables?: unknown; url?: string } = {},
): Promise<Answer> {
  const { token = ROOT_TOKEN, variables, url = '/api/graphql' } = options;
  const response = await app.instance.server.app.inject({
    method: 'POST',
    url,
    headers: token === null ? {} : { 'private-token': token },
    payload: { query, ...(variables === undefined ? {} : { variables }) },
  });
  assert.equal(response.statusCode, 200, response.body);
  return response.json<Answer>();
}

test('who asks, and what the server is', async () => {
  const { data, errors } = await ask(
    '{ currentUser { id username admin namespace { fullPath } } metadata { version kas { enabled } } }',
  );
  assert.equal(errors, undefined);
  assert.equal(data.currentUser.id, 'gid://gitlab/User/1');
  assert.deepEqual(
    [data.currentUser.username, data.currentUser.admin, data.currentUser.namespace.fullPath],
    ['root', true, 'root'],
  );
  assert.match(data.metadata.version, /^\d+\./);
  assert.deepEqual((await ask('{ currentUser { id } metadata { version } }', { token: null })).data, {
    currentUser: null,
    metadata: null,
  });
});

test('a project with its merge request, at the address with a slash too', async () => {
  const query = `query($path: ID!, $iid: String!) { project(fullPath: $path) { id fullPath forksCount issuesEnabled
    statistics { commitCount } repository { rootRef branchNames(searchPattern: "*", offset: 0, limit: 10) }
    mergeRequest(iid: $iid) { id title draft state reference(full: true) sourceBranch detailedMergeStatus approved
      author { username } assignees { nodes { username } } commits { nodes { title } } project { path } } } }`;
  const { data, errors } = await ask(query, { variables: { path, iid: '1' }, url: '/api/graphql/' });
  assert.equal(errors, undefined);
  const { mergeRequest, ...rest } = data.project;
  assert.deepEqual(rest, {
    id: `gid://gitlab/Project/${project}`,
    fullPath: path,
    forksCount: 0,
    issuesEnabled: true,
    statistics: rest.statistics,
    repository: { rootRef: 'main', branchNames: ['main', 'topic'] },
  });
  assert.deepEqual(mergeRequest, {
    id: mergeRequest.id,
    title: 'Draft: Topic',
    draft: true,
    state: 'opened',
    reference: `${path}!1`,
    sourceBranch: 'topic',
    detailedMergeStatus: 'DRAFT_STATUS',
    approved: true,
    author: { username: 'root' },
    assignees: { nodes: [{ username: 'root' }] },
    commits: { nodes: [{ title: 'Topic' }] },
    project: { path: 'p' },
  });
});

test('a list is walked by its cursors, forwards and backwards, and tells its length', async () => {
  const query = `query($first: Int, $after: String, $last: Int, $before: String) { project(fullPath: "${path}") {
    issues(first: $first, after: $after, last: $last, before: $before, sort: "CREATED_ASC") {
      count nodes { title } edges { cursor } pageInfo { hasNextPage hasPreviousPage endCursor startCursor } } } }`;
  const seen: string[] = [];
  let after: string | null = null;
  for (let pages = 1; ; pages += 1) {
    const { data }: Answer = await ask(query, { variables: { first: 2, after } });
    const { nodes, count, pageInfo } = data.project.issues;
    seen.push(...nodes.map(({ title }: { title: string }) => title));
    assert.equal(count, 5);
    assert.equal(pageInfo.hasPreviousPage, pages > 1);
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage) break;
    assert.ok(pages < 4);
  }
  assert.deepEqual(seen, ['one', 'two', 'three', 'four', 'five']);
  const last = (await ask(query, { variables: { last: 2 } })).data.project.issues;
  assert.deepEqual(last.nodes, [{ title: 'four' }, { title: 'five' }]);
  const { startCursor } = last.pageInfo;
  const earlier = (await ask(query, { variables: { last: 2, before: startCursor } })).data.project.issues;
  assert.deepEqual(earlier.nodes, [{ title: 'two' }, { title: 'three' }]);
  const wrong = await ask(query, { variables: { after: 'x' } });
  assert.match(wrong.errors![0]!.message, /is not a cursor of this list/);
});

test('filters act as they do in the REST API', async () => {
  const query = `{ project(fullPath: "${path}") { issues(labelName: ["bug"]) { nodes { title labels { nodes { title color } } } }
    mergeRequests(state: merged) { nodes { title } } } }`;
  const { project: projectNode } = (await ask(query)).data;
  assert.equal(projectNode.issues.nodes.length, 1);
  assert.equal(projectNode.issues.nodes[0].labels.nodes[0].title, 'bug');
  assert.match(projectNode.issues.nodes[0].labels.nodes[0].color, /^#/);
  assert.deepEqual(projectNode.mergeRequests.nodes, []);
});

test('what the caller may not see is null, and a bad token is refused', async () => {
  const query = `{ project(fullPath: "${path}") { name } group(fullPath: "nowhere") { name } }`;
  for (const token of [stranger, null]) {
    assert.deepEqual((await ask(query, { token })).data, { project: null, group: null });
  }
  const headers = { 'private-token': 'glpat-wrong-wrong-wrong' };
  const refused = await app.instance.server.app.inject({
    method: 'POST',
    url: '/api/graphql',
    headers,
    payload: { query },
  });
  assert.equal(refused.statusCode, 401);
});

test('introspection tells the schema', async () => {
  const { data, errors } = await ask(getIntrospectionQuery());
  assert.equal(errors, undefined);
  const schema = buildClientSchema(data);
  assert.ok(schema.getQueryType()?.getFields().currentUser);
});

test('what is no question is told so: none, bad syntax, unknown fields, too much of it', async () => {
  const errorOf = async (query: string, variables?: unknown) => (await ask(query, { variables })).errors![0]!.message;
  assert.equal(await errorOf(''), 'No query string was present');
  assert.match(await errorOf('{ currentUser {'), /Syntax Error/);
  assert.match(await errorOf('{ nonsense }'), /Cannot query field "nonsense"/);
  assert.match(await errorOf(`{ ${'currentUser { id } '.repeat(2_000)} }`), /too many|tokens/i);
  assert.match(await errorOf('{ currentUser { id } }', '[1]'), /not a JSON object/);
  const deep = Array.from({ length: 80 }, (_, at) => `a${at}: user(username: "u${at}") { id }`).join(' ');
  assert.match(await errorOf(`{ ${deep} }`), /more than 50 look-ups/);
});
