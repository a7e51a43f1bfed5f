import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

type Json = Record<string, unknown>;
const clock = new TestClock();
let app: TestApp;
let count = 0;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

const address = () => {
  count += 1;
  return `invited-${count}@example.org`;
};
const send = async (place: string, json: Json, token?: string) =>
  expectStatus<{ status: string; message?: Json }>(
    await app.post(`/${place}/invitations`, { json, ...(token === undefined ? {} : { token }) }),
    201,
  );
const list = async (place: string, query: Record<string, string> = {}) =>
  expectStatus<Json[]>(await app.get(`/${place}/invitations`, { query }), 200);
const newUser = async (email: string) => {
  const username = email.replace(/@.*/, '');
  const json = { email, username, name: username, force_random_password: true };
  return expectStatus<Json>(await app.post('/users', { json }), 201).id as number;
};
const levelIn = async (place: string, userId: number) => {
  const response = await app.get(`/${place}/members/${userId}`);
  return response.statusCode === 200 ? expectStatus<Json>(response, 200).access_level : null;
};

for (const kind of ['project', 'group'] as const) {
  const place = async () => `${kind}s/${(await app.make[kind]()).id}`;

  test(`an address is invited to a ${kind}, listed, changed and taken back`, async () => {
    const at = await place();
    const email = address();
    assert.deepEqual(await send(at, { email, access_level: 30, expires_at: '2026-12-31' }), { status: 'success' });
    const [shown] = await list(at);
    const { id, created_at, ...rest } = shown!;
    assert.deepEqual([typeof id, typeof created_at], ['number', 'string']);
    assert.deepEqual(rest, {
      invite_email: email,
      access_level: 30,
      expires_at: '2026-12-31',
      user_name: null,
      created_by_name: 'Administrator',
    });
    assert.equal((await list(at, { query: email.slice(0, 9).toUpperCase() })).length, 1);
    assert.deepEqual(await list(at, { query: 'nothing' }), []);
    const path = `/${at}/invitations/${encodeURIComponent(email.toUpperCase())}`;
    const changed = expectStatus<Json>(await app.put(path, { json: { access_level: 20, expires_at: null } }), 200);
    assert.deepEqual([changed.access_level, changed.expires_at], [20, null]);
    const unchanged = expectStatus<Json>(await app.put(path, { json: { expires_at: '2027-01-01' } }), 200);
    assert.deepEqual([unchanged.access_level, unchanged.expires_at], [20, '2027-01-01']);
    expectStatus(await app.put(path, { json: {} }), 400);
    expectStatus(await app.put(path, { json: { access_level: 41 } }), 400);
    expectStatus(await app.delete(path), 204);
    expectStatus(await app.delete(path), 404);
    expectStatus(await app.put(path, { json: { access_level: 30 } }), 404);
    assert.deepEqual(await list(at), []);
  });

  test(`whoever has been invited to a ${kind} becomes a member with the account`, async () => {
    const at = await place();
    const email = address();
    await send(at, { email: email.toUpperCase(), access_level: 30, expires_at: '2026-12-31' });
    const id = await newUser(email);
    const member = expectStatus<Json>(await app.get(`/${at}/members/${id}`), 200);
    assert.deepEqual([member.access_level, member.expires_at], [30, '2026-12-31']);
    assert.equal((member.created_by as Json).username, 'root');
    assert.deepEqual(await list(at), []);
  });

  test(`each address and user invited to a ${kind} is told of for itself`, async () => {
    const at = await place();
    const [fresh, twice, member, other] = [address(), address(), await app.make.user(), await app.make.user()];
    await send(at, { email: twice, access_level: 30 });
    await send(at, { user_id: member.user.id, access_level: 30 });
    const third = await app.make.user();
    assert.equal((await send(at, { user_id: [third.user.id], access_level: 20 })).status, 'success');
    const listed = { email: [address(), third.user.email], access_level: 20 };
    assert.deepEqual((await send(at, listed)).message, { [third.user.email]: 'User already exists in source' });
    expectStatus(await app.delete(`/${at}/invitations/${listed.email[0]}`), 204);
    const response = await send(at, {
      email: `${fresh}, ${twice},${member.user.email},not an address,${other.user.email}`,
      user_id: `${member.user.id},999999`,
      access_level: 20,
    });
    assert.deepEqual(response, {
      status: 'error',
      message: {
        [twice]: 'Invite email has already been taken',
        [member.user.email]: 'User already exists in source',
        'not an address': 'Invite email is invalid',
        [member.user.username]: 'User already exists in source',
        999999: '404 User Not Found',
      },
    });
    assert.equal(await levelIn(at, other.user.id), 20);
    assert.deepEqual(
      (await list(at)).map(({ invite_email }) => invite_email),
      [twice, fresh],
    );
  });

  test(`bad invitations to a ${kind} are refused`, async () => {
    const at = await place();
    const email = address();
    assert.deepEqual(await send(at, { email, access_level: 41 }), {
      status: 'error',
      message: { [email]: 'Access level is not included in the list' },
    });
    assert.deepEqual(await send(at, { email, access_level: 30, expires_at: '2020-01-01' }), {
      status: 'error',
      message: { [email]: 'Expires at cannot be a date in the past' },
    });
    const bad = async (json: Json) => expectStatus<Json>(await app.post(`/${at}/invitations`, { json }), 400).message;
    assert.match(String(await bad({ access_level: 30 })), /email, user_id are missing/);
    assert.match(String(await bad({ email })), /access_level is missing/);
    for (const user_id of ['x', '', [], '99999999999999999999', {}]) {
      assert.match(String(await bad({ user_id, access_level: 30 })), /user_id/);
    }
    for (const email of ['', [], {}]) assert.match(String(await bad({ email, access_level: 30 })), /email/);
    const many = Array.from({ length: 101 }, (_, n) => `many-${n}@example.org`).join(',');
    assert.match(String(await bad({ email: many, access_level: 30 })), /Too many emails/);
    assert.deepEqual(await list(at), []);
  });
}

test('an address is invited until somebody has confirmed it', async () => {
  const at = `projects/${(await app.make.project()).id}`;
  const { user, token } = await app.make.user();
  const email = address();
  expectStatus(await app.post('/user/emails', { token, json: { email } }), 201);
  await send(at, { email, access_level: 30 });
  assert.equal(await levelIn(at, user.id), null);
  const other = address();
  await send(at, { email: other, access_level: 20 });
  const json = { email: other, skip_confirmation: true };
  expectStatus(await app.post(`/users/${user.id}/emails`, { json }), 201);
  assert.equal(await levelIn(at, user.id), 20);
  const changed = await app.make.user();
  const first = address();
  await send(at, { email: first, access_level: 40 });
  expectStatus(await app.put(`/users/${changed.user.id}`, { json: { email: first } }), 200);
  assert.equal(await levelIn(at, changed.user.id), 40);
});

test('an invitation never lowers a role and never outlives its end', async () => {
  const group = await app.make.group();
  const project = await app.make.project({ namespace: group });
  const { user } = await app.make.user();
  await app.make.member({ group }, user, 40);
  const email = address();
  await send(`projects/${project.id}`, { email, access_level: 30 });
  expectStatus(await app.post(`/users/${user.id}/emails`, { json: { email, skip_confirmation: true } }), 201);
  assert.equal(await levelIn(`projects/${project.id}`, user.id), null);
  const late = address();
  const at = `groups/${group.id}`;
  await send(at, { email: late, access_level: 30, expires_at: '2026-06-20' });
  clock.advance(10 * 86_400_000);
  assert.deepEqual(await list(at), []);
  expectStatus(await app.delete(`/${at}/invitations/${late}`), 404);
  await send(at, { email: late, access_level: 20, expires_at: '2026-06-28' });
  clock.advance(10 * 86_400_000);
  assert.equal(await levelIn(at, await newUser(late)), null);
});

test('invitations go with what they are to', async () => {
  const { id } = await app.make.project();
  const email = address();
  await send(`projects/${id}`, { email, access_level: 30 });
  expectStatus(await app.delete(`/projects/${id}`), 202);
  const left = await app.deps.db.selectFrom('invitations').select('id').where('email', '=', email).execute();
  assert.deepEqual(left, []);
  await newUser(email);
});

test('only who manages members invites, and nobody above themselves', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}/invitations`;
  const email = address();
  await send(`projects/${project.id}`, { email, access_level: 50 });
  for (const [name, status] of [
    ['stranger', 404],
    ['guest', 403],
    ['reporter', 403],
    ['developer', 403],
  ] as const) {
    const { token } = people[name];
    expectStatus(await app.get(path, { token }), status);
    expectStatus(await app.post(path, { token, json: { email: address(), access_level: 10 } }), status);
    expectStatus(await app.put(`${path}/${email}`, { token, json: { access_level: 10 } }), status);
    expectStatus(await app.delete(`${path}/${email}`, { token }), status);
  }
  expectStatus(await app.get(path, { token: null }), 401);
  const { token } = people.maintainer;
  expectStatus(await app.get(path, { token }), 200);
  expectStatus(await app.post(path, { token, json: { email: address(), access_level: 50 } }), 403);
  expectStatus(await app.put(`${path}/${email}`, { token, json: { access_level: 10 } }), 403);
  expectStatus(await app.delete(`${path}/${email}`, { token }), 403);
  assert.deepEqual(await send(`projects/${project.id}`, { email: address(), access_level: 40 }, token), {
    status: 'success',
  });
  const { group, owner, maintainer } = await staffedGroup(app);
  const json = { email: address(), access_level: 10 };
  expectStatus(await app.post(`/groups/${group.id}/invitations`, { token: maintainer.token, json }), 403);
  expectStatus(await app.post(`/groups/${group.id}/invitations`, { token: owner.token, json }), 201);
});
