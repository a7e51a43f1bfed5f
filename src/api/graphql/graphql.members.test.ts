import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../test/support/app.ts';

type Json = ReturnType<typeof JSON.parse>;

let app: TestApp;
const people: Record<string, { id: number; token: string }> = {};
before(async () => {
  app = await buildTestApp();
  const make = async (path: string, json: object) =>
    expectStatus<{ id: number }>(await app.post(path, { json }), 201).id;
  const top = await make('/groups', { name: 'top', path: 'top', visibility: 'private' });
  const mid = await make('/groups', { name: 'mid', path: 'mid', parent_id: top });
  const low = await make('/groups', { name: 'low', path: 'low', parent_id: mid });
  const friends = await make('/groups', { name: 'friends', path: 'friends' });
  const project = await make('/projects', { name: 'p', namespace_id: mid });
  for (const [name, source, access_level] of [
    ['ann', `/groups/${top}`, 20],
    ['bob', `/groups/${mid}`, 30],
    ['cyd', `/groups/${low}`, 40],
    ['dan', `/projects/${project}`, 30],
    ['eve', `/groups/${friends}`, 50],
  ] as const) {
    const { user, token } = await app.make.user({ username: name });
    people[name] = { id: user.id, token };
    expectStatus(await app.post(`${source}/members`, { json: { user_id: user.id, access_level } }), 201);
  }
  expectStatus(await app.post(`/groups/${mid}/share`, { json: { group_id: friends, group_access: 20 } }), 201);
  await app.drain();
});
after(() => app.close());

async function ask(query: string, token: string | null = ROOT_TOKEN): Promise<Json> {
  const headers = token === null ? {} : { 'private-token': token };
  const response = await app.instance.server.app.inject({
    method: 'POST',
    url: '/api/graphql',
    headers,
    payload: { query },
  });
  const { data, errors } = response.json<{ data: Json; errors?: unknown }>();
  assert.deepEqual(errors, undefined);
  return data;
}

/** Names and levels of those of the made people that are told. */
async function membersOf(
  args: string,
  place = 'group(fullPath: "top/mid")',
  field = 'groupMembers',
): Promise<string[]> {
  const [parent] = Object.values(
    await ask(`{ ${place} { ${field}${args} { nodes { user { username } accessLevel { stringValue } } } } }`),
  ) as Json[];
  return parent[field].nodes
    .map(({ user, accessLevel }: Json) => `${user.username} ${accessLevel.stringValue}`)
    .filter((one: string) => one.split(' ')[0]! in people)
    .sort();
}

test('members of a group by how they came to be', async () => {
  assert.deepEqual(await membersOf('(relations: DIRECT)'), ['bob DEVELOPER']);
  assert.deepEqual(await membersOf('(relations: [INHERITED])'), ['ann REPORTER']);
  assert.deepEqual(await membersOf('(relations: [DIRECT, INHERITED])'), await membersOf(''));
  assert.ok((await membersOf('')).includes('ann REPORTER'));
  assert.deepEqual(await membersOf('(relations: [DESCENDANTS])'), ['cyd MAINTAINER', 'dan DEVELOPER']);
  assert.deepEqual(await membersOf('(relations: [DIRECT, DESCENDANTS])'), [
    'bob DEVELOPER',
    'cyd MAINTAINER',
    'dan DEVELOPER',
  ]);
  assert.deepEqual(await membersOf('(relations: [SHARED_FROM_GROUPS])'), ['eve REPORTER']);
  assert.deepEqual(await membersOf('(relations: [INHERITED])', 'group(fullPath: "top")'), []);
  assert.deepEqual(await membersOf('(relations: [])'), []);
  assert.deepEqual(await membersOf('(relations: [DESCENDANTS], search: "cyd")'), ['cyd MAINTAINER']);
});

test('members of a project by how they came to be', async () => {
  const of = (relations: string) =>
    membersOf(`(relations: [${relations}])`, 'project(fullPath: "top/mid/p")', 'projectMembers');
  assert.deepEqual(await of('DIRECT'), ['dan DEVELOPER']);
  assert.deepEqual(
    (await of('INHERITED')).filter((one) => !one.startsWith('eve')),
    ['ann REPORTER', 'bob DEVELOPER'],
  );
  assert.deepEqual(await of('SHARED_INTO_ANCESTORS'), ['eve REPORTER']);
  assert.deepEqual(await of('INVITED_GROUPS'), []);
});

test('merged members are walked page by page, and strangers are told nothing', async () => {
  const query = (after: string) =>
    `{ group(fullPath: "top/mid") { groupMembers(relations: [DIRECT, DESCENDANTS], first: 2, after: "${after}") { count nodes { user { username } } pageInfo { hasNextPage endCursor } } } }`;
  const first = (await ask(query(''))).group.groupMembers;
  assert.deepEqual([first.nodes.length, first.pageInfo.hasNextPage], [2, true]);
  const rest = (await ask(query(first.pageInfo.endCursor))).group.groupMembers;
  assert.equal(first.nodes.length + rest.nodes.length, first.count);
  const { token } = await app.make.user();
  for (const each of [token, null]) assert.equal((await ask(query(''), each)).group, null);
});

test('who asks is told what they are', async () => {
  const fields = 'groupCount gitpodEnabled active human bot lastActivityOn';
  const { currentUser } = await ask(`{ currentUser { ${fields} } }`, people.ann!.token);
  assert.deepEqual(
    { ...currentUser, lastActivityOn: null },
    { groupCount: 3, gitpodEnabled: false, active: true, human: true, bot: false, lastActivityOn: null },
  );
  assert.equal((await ask('{ currentUser { groupCount } }', people.dan!.token)).currentUser.groupCount, 0);
  assert.equal((await ask('{ user(username: "ann") { active } }')).user.active, true);
});
