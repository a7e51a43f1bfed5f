import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

interface Body {
  id: number;
  username: string;
  access_level: number;
  expires_at: string | null;
  created_by?: { id: number };
  email?: string;
  is_using_seat?: boolean;
  message?: unknown;
  errors?: unknown;
}

let app: TestApp;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const ids = (list: Body[]) => list.map(({ id }) => id);

test('GET members lists direct members with their level, filters and pages', async () => {
  const { group, owner, guest, developer } = await staffedGroup(app);
  const response = await app.get(`/groups/${group.id}/members`, { token: guest.token, query: { per_page: 2 } });
  const list = expectStatus<Body[]>(response, 200);
  assert.deepEqual(ids(list), [owner.user.id, guest.user.id]);
  assert.equal(list[1]?.access_level, 10);
  assert.equal(list[1]?.email, undefined);
  assert.equal(response.headers['x-total'], '4');
  const searchResponse = await app.get(`/groups/${group.id}/members`, {
    query: { query: developer.user.username.toUpperCase(), show_seat_info: true },
  });
  const [only, ...others] = expectStatus<Body[]>(searchResponse, 200);
  assert.deepEqual([only?.id, only?.is_using_seat, others.length], [developer.user.id, true, 0]);
  assert.equal(only?.email, developer.user.email, 'administrators see addresses');
  const some = await app.get(`/groups/${group.id}/members`, {
    query: { 'user_ids[]': [owner.user.id, guest.user.id].map(String), 'skip_users[]': [String(guest.user.id)] },
  });
  assert.deepEqual(ids(expectStatus<Body[]>(some, 200)), [owner.user.id]);
  const wildcard = await app.get(`/groups/${group.id}/members`, { query: { query: '%' } });
  assert.deepEqual(expectStatus<Body[]>(wildcard, 200), []);
});

test('GET members hides private sources, and shows public ones to anyone', async () => {
  const { group } = await staffedGroup(app);
  const stranger = await app.make.user();
  expectStatus(await app.get(`/groups/${group.id}/members`, { token: stranger.token }), 404);
  expectStatus(await app.get(`/groups/${group.id}/members`, { token: null }), 404);
  const open = await app.make.project({ visibility: 'public' });
  const list = expectStatus<Body[]>(await app.get(`/projects/${open.id}/members`, { token: null }), 200);
  assert.deepEqual([list[0]?.username, list[0]?.access_level], ['root', 50], 'the owner of a personal project');
});

test('GET members/all takes the highest level of group, parent, project and shares', async () => {
  const parent = await staffedGroup(app);
  const child = await staffedGroup(app, parent.group);
  const project = await app.make.project({ namespace: child.group });
  const guestAbove = parent.guest;
  await app.make.member({ project }, guestAbove.user, 30);
  const lent = await staffedGroup(app);
  const share = (kind: 'project' | 'group', id: number, level: number, expires: string | null = null) =>
    app.deps.db
      .insertInto('group_links')
      .values({
        source_type: kind,
        source_id: id,
        group_id: lent.group.id,
        group_access: level,
        expires_at: expires,
        created_at: '',
      })
      .execute();
  await share('group', parent.group.id, 20);
  await share('project', project.id, 30);
  const all = expectStatus<Body[]>(
    await app.get(`/projects/${project.id}/members/all`, { token: parent.owner.token, query: { per_page: 100 } }),
    200,
  );
  const level = (who: TestUser) => all.filter(({ id }) => id === who.user.id).map((row) => row.access_level);
  assert.deepEqual(level(guestAbove), [30]);
  assert.deepEqual(level(parent.owner), [50]);
  assert.deepEqual(level(child.maintainer), [40]);
  assert.deepEqual(level(lent.owner), [30], 'no more than the share gives');
  assert.deepEqual(level(lent.guest), [10], 'no more than the member has');
  assert.equal(all.length, 12);
  const inGroup = expectStatus<Body>(
    await app.get(`/groups/${child.group.id}/members/all/${lent.owner.user.id}`, { token: child.guest.token }),
    200,
  );
  assert.equal(inGroup.access_level, 20);
  expectStatus(await app.get(`/projects/${project.id}/members/${parent.owner.user.id}`), 404);
  expectStatus(await app.get(`/projects/${project.id}/members/all/1`), 404);
  await app.deps.db.updateTable('group_links').set({ expires_at: '2026-06-15' }).execute();
  assert.equal((await app.get(`/groups/${child.group.id}/members/all/${lent.owner.user.id}`)).statusCode, 404);
});

test('memberships end on their last day: they are neither listed nor in force', async () => {
  const { group, owner } = await staffedGroup(app);
  const user = await app.make.user();
  await app.make.member({ group }, user.user, 30, '2026-06-15');
  const list = expectStatus<Body[]>(await app.get(`/groups/${group.id}/members`, { token: owner.token }), 200);
  assert.ok(!ids(list).includes(user.user.id));
  expectStatus(await app.get(`/groups/${group.id}/members`, { token: user.token }), 404);
  expectStatus(await app.put(`/groups/${group.id}/members/${user.user.id}`, { json: { access_level: 40 } }), 404);
  const again = { user_id: user.user.id, access_level: 10, expires_at: '2026-06-16' };
  const added = expectStatus<Body>(await app.post(`/groups/${group.id}/members`, { json: again }), 201);
  assert.equal(added.expires_at, '2026-06-16');
  assert.equal(added.created_by?.id, 1);
});

test('POST members adds by id or by user name, once', async () => {
  const project = await app.make.project();
  const user = await app.make.user();
  const path = `/projects/${project.id}/members`;
  const first = await app.post(path, { json: { username: user.user.username.toUpperCase(), access_level: '30' } });
  assert.equal(expectStatus<Body>(first, 201).id, user.user.id);
  const second = await app.post(path, { json: { user_id: user.user.id, access_level: 30 } });
  assert.equal(expectStatus<Body>(second, 409).message, 'Member already exists');
  const event = await app.deps.db
    .selectFrom('domain_events')
    .selectAll()
    .where('type', '=', 'member.added')
    .where('project_id', '=', project.id)
    .execute();
  assert.equal(event.length, 1);
});

test('POST members refuses what does not fit', async () => {
  const project = await app.make.project();
  const user = await app.make.user();
  const path = `/projects/${project.id}/members`;
  const refuse = async (json: object, status: number, message: string) =>
    assert.equal(expectStatus<Body>(await app.post(path, { json }), status).message, message);
  const id = user.user.id;
  await refuse({ access_level: 30 }, 400, 'user_id, username are missing, exactly one parameter must be provided');
  await refuse({ access_level: 30, user_id: id, username: 'x' }, 400, 'user_id, username are mutually exclusive');
  await refuse({ user_id: id }, 400, 'access_level is missing');
  await refuse({ user_id: 'x', access_level: 30 }, 400, 'user_id is invalid');
  await refuse({ user_id: id, access_level: 31 }, 400, 'access_level is not included in the list');
  await refuse({ user_id: id, access_level: 5 }, 400, 'access_level is not included in the list');
  await refuse(
    { user_id: id, access_level: 30, expires_at: '2026-06-14' },
    400,
    'expires_at cannot be a date in the past',
  );
  await refuse({ user_id: 999_999, access_level: 30 }, 404, '404 User Not Found');
});

test('POST members: an empty list of users, or a number that no database holds, is nobody', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/members`;
  for (const username of [',', ' , ,']) {
    expectStatus(await app.post(path, { json: { username, access_level: 30 } }), 404);
  }
  for (const user_id of ['9223372036854775808', '99999999999999999999999999', '0']) {
    const alone = await app.post(path, { json: { user_id, access_level: 30 } });
    assert.equal(expectStatus<Body>(alone, 404).message, '404 User Not Found');
  }
  for (const user_id of [null, '', []]) {
    const { message } = expectStatus<Body>(await app.post(path, { json: { user_id, access_level: 30 } }), 400);
    assert.match(String(message), /user_id/);
  }
  const several = await app.post(path, {
    json: { user_id: '9223372036854775808,18446744073709551616', access_level: 30 },
  });
  assert.equal(expectStatus<{ status: string }>(several, 201).status, 'error');
});

test('POST members takes several users and tells who could not be added', async () => {
  const { group, owner, guest } = await staffedGroup(app);
  const [one, two] = [await app.make.user(), await app.make.user()];
  const path = `/groups/${group.id}/members`;
  const both = { user_id: `${one.user.id}, ${two.user.id}`, access_level: 30 };
  assert.deepEqual(expectStatus(await app.post(path, { token: owner.token, json: both }), 201), { status: 'success' });
  const three = await app.make.user();
  const mixed = { username: `${three.user.username},${guest.user.username},nobody-here`, access_level: 20 };
  assert.deepEqual(expectStatus(await app.post(path, { token: owner.token, json: mixed }), 201), {
    status: 'error',
    message: { [guest.user.username]: 'Member already exists', 'nobody-here': '404 User Not Found' },
  });
  expectStatus(await app.get(`${path}/${three.user.id}`), 200);
  const many = { user_id: Array.from({ length: 101 }, (_, index) => index + 1).join(','), access_level: 20 };
  expectStatus(await app.post(path, { token: owner.token, json: many }), 400);
});

test('a member of a parent group gets no lower level below', async () => {
  const parent = await staffedGroup(app);
  const child = await staffedGroup(app, parent.group);
  const json = { user_id: parent.developer.user.id, access_level: 20 };
  const body = expectStatus<Body>(await app.post(`/groups/${child.group.id}/members`, { json }), 400);
  const text = `should be greater than or equal to Developer inherited membership from group ${parent.group.name}`;
  assert.equal(body.message, `access_level ${text}`);
  assert.deepEqual(body.errors, { access_level: [text] });
  const project = await app.make.project({ namespace: child.group });
  expectStatus(await app.post(`/projects/${project.id}/members`, { json }), 400);
  expectStatus(await app.post(`/projects/${project.id}/members`, { json: { ...json, access_level: 30 } }), 201);
  expectStatus(await app.put(`/projects/${project.id}/members/${json.user_id}`, { json: { access_level: 20 } }), 400);
});

test('only those who may manage members write: project maintainers below owner, group owners', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const target = await app.make.user();
  const path = `/projects/${project.id}/members`;
  const add = (token: string | null, level: number) =>
    app.post(path, { token, json: { user_id: target.user.id, access_level: level } });
  expectStatus(await add(null, 10), 401);
  expectStatus(await add(people.stranger.token, 10), 404);
  for (const who of [people.guest, people.planner, people.reporter, people.developer]) {
    expectStatus(await add(who.token, 10), 403);
  }
  expectStatus(await add(people.maintainer.token, 50), 403);
  expectStatus(await add(await app.make.token(people.owner.user.id, ['read_api']), 10), 403);
  expectStatus(await add(people.maintainer.token, 40), 201);
  const ownerPath = `${path}/${people.owner.user.id}`;
  expectStatus(await app.put(ownerPath, { token: people.maintainer.token, json: { access_level: 40 } }), 403);
  expectStatus(await app.delete(ownerPath, { token: people.maintainer.token }), 403);
  const raise = { token: people.maintainer.token, json: { access_level: 50 } };
  expectStatus(await app.put(`${path}/${people.guest.user.id}`, raise), 403);
  expectStatus(await app.put(`${path}/${people.guest.user.id}`, { ...raise, token: people.owner.token }), 200);
  const { group, maintainer, owner } = await staffedGroup(app);
  const json = { user_id: target.user.id, access_level: 10 };
  expectStatus(await app.post(`/groups/${group.id}/members`, { token: maintainer.token, json }), 403);
  expectStatus(await app.post(`/groups/${group.id}/members`, { token: owner.token, json }), 201);
});

test('PUT members changes level and last day, and keeps the last day that is not named', async () => {
  const project = await app.make.project();
  const { guest } = await app.make.members(project);
  const path = `/projects/${project.id}/members/${guest.user.id}`;
  const first = await app.put(path, { json: { access_level: 30, expires_at: '2027-01-01' } });
  assert.equal(expectStatus<Body>(first, 200).expires_at, '2027-01-01');
  const second = expectStatus<Body>(await app.put(path, { json: { access_level: 20 } }), 200);
  assert.deepEqual([second.access_level, second.expires_at], [20, '2027-01-01']);
  const third = expectStatus<Body>(await app.put(path, { json: { access_level: 20, expires_at: '' } }), 200);
  assert.equal(third.expires_at, null);
  expectStatus(await app.put(`/projects/${project.id}/members/999999`, { json: { access_level: 20 } }), 404);
  expectStatus(await app.put(path, { json: {} }), 400);
});

test('the owner of a personal namespace is a member of what is made in it or comes to it', async () => {
  const { user, token } = await app.make.user();
  const group = await app.make.group({ owner: user });
  const project = await app.make.project({ namespace: group });
  await app.make.member({ project }, user, 30, '2027-01-01');
  expectStatus(await app.put(`/projects/${project.id}/transfer`, { token, json: { namespace: user.username } }), 200);
  const made = expectStatus<Body>(await app.post('/projects', { token, json: { name: 'made-here' } }), 201);
  for (const id of [project.id, made.id]) {
    const list = expectStatus<Body[]>(await app.get(`/projects/${id}/members`, { token }), 200);
    assert.deepEqual(
      list.map((member) => [member.id, member.access_level, member.expires_at]),
      [[user.id, 50, null]],
    );
  }
});
