import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';

type Json = ReturnType<typeof JSON.parse>;

let app: TestApp;
let stranger: string;
let developer: { id: number; username: string; token: string };
const issues: { id: number; iid: number }[] = [];
before(async () => {
  app = await buildTestApp();
  const group = expectStatus<{ id: number }>(await app.post('/groups', { json: { name: 'g', path: 'g' } }), 201);
  const made = { name: 'p', namespace_id: group.id, visibility: 'private' };
  const { id } = expectStatus<{ id: number }>(await app.post('/projects', { json: made }), 201);
  const { user, token } = await app.make.user();
  developer = { id: user.id, username: user.username, token };
  ({ token: stranger } = await app.make.user());
  expectStatus(await app.post(`/projects/${id}/members`, { json: { user_id: user.id, access_level: 30 } }), 201);
  for (const json of [
    { title: 'First', description: 'Text', labels: 'bug', assignee_ids: [user.id], due_date: '2030-01-02', weight: 3 },
    { title: 'Outage', issue_type: 'incident' },
    { title: 'Small', issue_type: 'task' },
    { title: 'Hidden', confidential: true },
  ]) {
    issues.push(expectStatus<{ id: number; iid: number }>(await app.post(`/projects/${id}/issues`, { json }), 201));
  }
  expectStatus(await app.put(`/projects/${id}/issues/2`, { json: { state_event: 'close' } }), 200);
});
after(() => app.close());

async function ask(query: string, { token = ROOT_TOKEN as string | null, variables = {} } = {}): Promise<Json> {
  const response = await app.instance.server.app.inject({
    method: 'POST',
    url: '/api/graphql',
    headers: token === null ? {} : { 'private-token': token },
    payload: { query, variables },
  });
  assert.equal(response.statusCode, 200, response.body);
  const { data, errors } = response.json<{ data: Json; errors?: unknown }>();
  assert.deepEqual(errors, undefined);
  return data;
}

const USER = 'id username name state createdAt avatarUrl webUrl';
/** What clients in Go ask of one. */
const ITEM = `id iid workItemType { name } state title description author { ${USER} } createdAt updatedAt closedAt webUrl
  features { assignees { assignees { nodes { ${USER} } } } status { status { name } } }`;

test('a work item by its place and by its id, as clients in Go ask for it', async () => {
  const byPlace = `query ($fullPath: ID!, $iid: String) { namespace(fullPath: $fullPath) { workItems(iid: $iid) { nodes { ${ITEM} } } } }`;
  const { namespace } = await ask(byPlace, { variables: { fullPath: 'g/p', iid: '1' } });
  const [item] = namespace.workItems.nodes;
  assert.equal(namespace.workItems.nodes.length, 1);
  assert.equal(item.id, `gid://gitlab/WorkItem/${issues[0]!.id}`);
  assert.deepEqual(
    [item.iid, item.workItemType.name, item.state, item.title, item.description, item.closedAt, item.author.username],
    ['1', 'Issue', 'OPEN', 'First', 'Text', null, 'root'],
  );
  assert.equal(item.features.assignees.assignees.nodes[0].id, `gid://gitlab/User/${developer.id}`);
  assert.equal(item.features.status, null);
  const byId = `query ($id: WorkItemID!) { workItem(id: $id) { ${ITEM} } }`;
  assert.deepEqual((await ask(byId, { variables: { id: item.id } })).workItem, item);
  assert.deepEqual((await ask(byId, { variables: { id: item.id }, token: developer.token })).workItem, item);
});

test('a work item is told to nobody who may not see the issue', async () => {
  const query = 'query ($id: WorkItemID!) { workItem(id: $id) { title } }';
  const workItemOf = async (at: number, token: string | null) =>
    (await ask(query, { variables: { id: `gid://gitlab/WorkItem/${issues[at]!.id}` }, token })).workItem;
  for (const token of [stranger, null]) assert.equal(await workItemOf(0, token), null);
  assert.deepEqual(await workItemOf(3, developer.token), { title: 'Hidden' });
  for (const id of ['gid://gitlab/WorkItem/999999', 'gid://gitlab/WorkItem/x', '9'.repeat(40), '']) {
    assert.equal((await ask(query, { variables: { id } })).workItem, null);
  }
  assert.equal((await ask('{ namespace(fullPath: "g/p") { name } }', { token: stranger })).namespace, null);
});

test('work items of a project are narrowed down by type, state and person', async () => {
  const titles = async (args: string, place = 'project(fullPath: "g/p")') => {
    const [parent] = Object.values(await ask(`{ ${place} { workItems${args} { count nodes { title } } } }`)) as Json[];
    assert.equal(parent.workItems.count, parent.workItems.nodes.length);
    return parent.workItems.nodes.map(({ title }: { title: string }) => title);
  };
  assert.deepEqual(await titles(''), ['Hidden', 'Small', 'Outage', 'First']);
  assert.deepEqual(await titles('(types: [TASK])'), ['Small']);
  assert.deepEqual(await titles('(types: [ISSUE, TASK])'), ['Hidden', 'Small', 'First']);
  assert.deepEqual(await titles('(types: [ISSUE, TASK], sort: "CREATED_ASC")'), ['First', 'Small', 'Hidden']);
  assert.deepEqual(await titles('(types: [EPIC])'), []);
  assert.deepEqual(await titles('(state: closed)'), ['Outage']);
  assert.deepEqual(await titles('(confidential: true)'), ['Hidden']);
  assert.deepEqual(await titles(`(assigneeUsernames: ["${developer.username}"])`), ['First']);
  assert.deepEqual(await titles('(labelName: ["bug"])'), ['First']);
  assert.deepEqual(await titles('(iids: ["2", "3"])'), ['Small', 'Outage']);
  assert.deepEqual(await titles('', 'group(fullPath: "g")'), [], 'only epics are in a group itself');
  assert.deepEqual(await titles('(includeDescendants: true, state: closed)', 'group(fullPath: "g")'), ['Outage']);
  assert.deepEqual(await titles('', 'namespace(fullPath: "root")'), []);
});

test('several types are walked page by page', async () => {
  const query =
    'query ($after: String) { project(fullPath: "g/p") { workItems(types: [ISSUE, TASK], first: 2, after: $after) { nodes { title } pageInfo { hasNextPage endCursor } } } }';
  const first = (await ask(query)).project.workItems;
  assert.deepEqual([first.nodes.length, first.pageInfo.hasNextPage], [2, true]);
  const next = (await ask(query, { variables: { after: first.pageInfo.endCursor } })).project.workItems;
  assert.deepEqual([next.nodes, next.pageInfo.hasNextPage], [[{ title: 'First' }], false]);
});

test('widgets say what an issue has', async () => {
  const { project } =
    await ask(`{ project(fullPath: "g/p") { workItems(iid: "1") { nodes { reference(full: true) archived project { fullPath } namespace { id fullPath }
    widgets { __typename type
      ... on WorkItemWidgetDescription { description } ... on WorkItemWidgetAssignees { assignees(first: 5) { nodes { username } } }
      ... on WorkItemWidgetLabels { labels(first: 100) { nodes { title } pageInfo { hasNextPage } } } ... on WorkItemWidgetStartAndDueDate { dueDate }
      ... on WorkItemWidgetWeight { weight } ... on WorkItemWidgetTimeTracking { timeEstimate } ... on WorkItemWidgetMilestone { milestone { title } } } } } } }`);
  const [{ widgets, ...item }] = project.workItems.nodes;
  assert.deepEqual(item, {
    reference: 'g/p#1',
    archived: false,
    project: { fullPath: 'g/p' },
    namespace: { id: item.namespace.id, fullPath: 'g/p' },
  });
  assert.match(item.namespace.id, /^gid:\/\/gitlab\/Namespaces::ProjectNamespace\/\d+$/);
  const of = Object.fromEntries(widgets.map((each: Json) => [each.type, each]));
  assert.equal(of.DESCRIPTION.description, 'Text');
  assert.equal(of.ASSIGNEES.__typename, 'WorkItemWidgetAssignees');
  assert.deepEqual(of.ASSIGNEES.assignees.nodes, [{ username: developer.username }]);
  assert.deepEqual(of.LABELS.labels, { nodes: [{ title: 'bug' }], pageInfo: { hasNextPage: false } });
  assert.equal(of.START_AND_DUE_DATE.dueDate, '2030-01-02');
  assert.deepEqual([of.WEIGHT.weight, of.TIME_TRACKING.timeEstimate, of.MILESTONE.milestone], [3, 0, null]);
});
