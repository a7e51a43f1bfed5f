import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { hashPassword, verifyPassword } from '../../../core/core.secrets.ts';

interface Shown {
  id: number;
  username: string;
  name: string;
  state: string;
  [key: string]: unknown;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

let count = 0;
const newUser = (changes: object = {}) => {
  count += 1;
  return {
    username: `made${count}`,
    name: `Made ${count}`,
    email: `made${count}@example.org`,
    password: 'correct horse',
    ...changes,
  };
};
const create = async (changes: object = {}) =>
  expectStatus<Shown>(await app.post('/users', { json: newUser(changes) }), 201);
const refusal = async (json: object, status = 400) => {
  const body = expectStatus(await app.post('/users', { json }), status);
  return body.message;
};

test('GET /user shows people themselves, and administrators what administrators see', async () => {
  const { user, token } = await app.make.user({ scopes: ['read_user'] });
  const own = expectStatus<Shown>(await app.get('/user', { token }), 200);
  assert.equal(own.email, user.email);
  assert.equal(own.commit_email, user.email);
  assert.equal(own.can_create_project, true);
  assert.equal(own.can_create_organization, false);
  assert.ok(!('extern_uid' in own) && !('provider' in own));
  assert.ok(!('current_sign_in_ip' in own) && !('last_sign_in_ip' in own));
  assert.ok(!('is_admin' in own) && !('note' in own));
  const root = expectStatus<Shown>(await app.get('/user'), 200);
  assert.deepEqual([root.id, root.username, root.name, root.is_admin], [1, 'root', 'Administrator', true]);
  expectStatus(await app.get('/user', { token: null }), 401);
});

test('GET /users/:id shows others neither addresses nor sign-ins (fields by viewer)', async () => {
  const { user } = await app.make.user();
  const other = await app.make.user();
  const seen = expectStatus<Shown>(await app.get(`/users/${user.id}`, { token: other.token }), 200);
  for (const hidden of [
    'email',
    'commit_email',
    'last_sign_in_at',
    'current_sign_in_at',
    'last_sign_in_ip',
    'current_sign_in_ip',
    'can_create_organization',
    'confirmed_at',
    'two_factor_enabled',
    'identities',
    'is_admin',
    'note',
    'projects_limit',
    'external',
  ]) {
    assert.ok(!(hidden in seen), hidden);
  }
  const full = expectStatus<Shown>(await app.get(`/users/${user.id}`), 200);
  assert.equal(full.email, user.email);
  assert.equal(typeof full.namespace_id, 'number');
  expectStatus(await app.get(`/users/${user.id}`, { token: null }), 403);
  assert.equal(expectStatus(await app.get('/users/99999'), 404).message, '404 User Not Found');
});

test('a private profile hides its dates from others only', async () => {
  const { user, token } = await app.make.user({ columns: { private_profile: 1 } });
  const other = await app.make.user();
  const seen = expectStatus<Shown>(await app.get(`/users/${user.id}`, { token: other.token }), 200);
  assert.ok(!('created_at' in seen) && !('followers' in seen));
  const own = expectStatus<Shown>(await app.get(`/users/${user.id}`, { token }), 200);
  assert.equal(own.created_at, user.created_at);
});

test('skype is kept and shown to everybody as the other addresses of people are', async () => {
  const { id, skype } = await create({ skype: 'ada.sky' });
  assert.equal(skype, 'ada.sky');
  const { token } = await app.make.user();
  const seen = async () => expectStatus<Shown>(await app.get(`/users/${id}`, { token }), 200).skype;
  assert.equal(await seen(), 'ada.sky');
  expectStatus(await app.put(`/users/${id}`, { json: { skype: '' } }), 200);
  assert.equal(await seen(), '');
  assert.match(String(await refusal(newUser({ skype: 'x'.repeat(256) }))), /^skype is too long/);
  expectStatus(await app.put(`/users/${id}`, { token, json: { skype: 'mine' } }), 403);
});

test('administrators choose whether a user sees one file of a change at a time', async () => {
  const { id } = await create({ view_diffs_file_by_file: true });
  const chosen = () =>
    app.deps.db
      .selectFrom('user_preferences')
      .select(['view_diffs_file_by_file', 'show_whitespace_in_diffs'])
      .where('user_id', '=', id)
      .executeTakeFirst();
  assert.deepEqual({ ...(await chosen()) }, { view_diffs_file_by_file: 1, show_whitespace_in_diffs: 1 });
  expectStatus(await app.put(`/users/${id}`, { json: { bio: 'else' } }), 200);
  assert.equal((await chosen())!.view_diffs_file_by_file, 1);
  expectStatus(await app.put(`/users/${id}`, { json: { view_diffs_file_by_file: false } }), 200);
  assert.equal((await chosen())!.view_diffs_file_by_file, 0);
  expectStatus(await app.put(`/users/${id}`, { json: { view_diffs_file_by_file: 'perhaps' } }), 400);
  const { token } = await app.make.user();
  expectStatus(await app.put(`/users/${id}`, { token, json: { view_diffs_file_by_file: true } }), 403);
});

test('GET /users lets anonymous callers look one user up and no more', async () => {
  const { user } = await app.make.user({ username: 'findme' });
  const query = { username: 'FindMe' };
  const users = expectStatus<Shown[]>(await app.get('/users', { token: null, query }), 200);
  assert.deepEqual(
    users.map(({ id }) => id),
    [user.id],
  );
  assert.ok(!('email' in users[0]!));
  const refused = expectStatus(await app.get('/users', { token: null }), 403);
  assert.equal(refused.message, '403 Forbidden - Not authorized to access /api/v4/users');
  expectStatus(await app.get('/users', { token: null, query: { search: 'find' } }), 403);
});

test('GET /users searches names and addresses as the caller may', async () => {
  const { user } = await app.make.user({ username: 'zz_top', columns: { name: 'Billy 100%', public_email: null } });
  const { token } = await app.make.user();
  const ids = async (search: string, as?: string) => {
    const options = as === undefined ? {} : { token: as };
    const list = expectStatus<Shown[]>(await app.get('/users', { query: { search }, ...options }), 200);
    return list.map(({ id }) => id);
  };
  assert.deepEqual(await ids('ZZ_TO', token), [user.id]);
  assert.deepEqual(await ids('100%', token), [user.id]);
  assert.deepEqual(await ids(user.email, token), []);
  assert.deepEqual(await ids(user.email), [user.id]);
});

test('GET /users hides blocked users from everyone but administrators', async () => {
  const { user } = await app.make.user({ columns: { state: 'banned' } });
  const { token } = await app.make.user();
  const query = { username: user.username };
  assert.equal(expectStatus<Shown[]>(await app.get('/users', { token, query }), 200).length, 0);
  assert.equal(expectStatus<Shown[]>(await app.get('/users', { query }), 200)[0]?.state, 'banned');
});

test('GET /users filters by kind and state', async () => {
  const { user: bot } = await app.make.user({ username: 'kind-bot', columns: { kind: 'project_bot' } });
  const { user: blocked } = await app.make.user({ username: 'kind-blocked', columns: { state: 'blocked' } });
  const { user: external } = await app.make.user({ username: 'kind-external', columns: { external: 1 } });
  const { user: admin } = await app.make.user({ username: 'kind-admin', admin: true });
  await app.make.project({ owner: external });
  const ids = async (query: Record<string, string | boolean>) => {
    const list = await app.get('/users', { query: { search: 'kind-', order_by: 'id', sort: 'asc', ...query } });
    return expectStatus<Shown[]>(list, 200).map(({ id }) => id);
  };
  assert.deepEqual(await ids({ active: true }), [bot.id, external.id, admin.id]);
  assert.deepEqual(await ids({ blocked: true }), [blocked.id]);
  assert.deepEqual(await ids({ exclude_active: true }), [blocked.id]);
  assert.deepEqual(await ids({ humans: true }), [blocked.id, external.id, admin.id]);
  assert.deepEqual(await ids({ exclude_humans: true }), [bot.id]);
  assert.deepEqual(await ids({ without_project_bots: true }), [blocked.id, external.id, admin.id]);
  assert.deepEqual(await ids({ external: true }), [external.id]);
  assert.deepEqual(await ids({ admins: true }), [admin.id]);
  assert.deepEqual(await ids({ without_projects: true }), [bot.id, blocked.id, admin.id]);
  assert.deepEqual(await ids({ two_factor: 'enabled' }), []);
  assert.deepEqual(await ids({ created_after: '2030-01-01' }), []);
});

test('filters and orders of administrators do nothing for others', async () => {
  const { token } = await app.make.user();
  const query = { external: true, order_by: 'id', sort: 'asc', per_page: 100 };
  const list = expectStatus<Shown[]>(await app.get('/users', { token, query }), 200);
  assert.ok(list.length > 1 && list[0]!.id > list[1]!.id);
  expectStatus(await app.get('/users', { token, query: { extern_uid: 'x', provider: 'y' } }), 403);
});

test('GET /users pages by offset and by keyset', async () => {
  for (const username of ['key-b', 'key-a', 'key-c']) await app.make.user({ username, columns: { name: 'Same' } });
  const query = { search: 'key-', order_by: 'name', sort: 'asc', per_page: 2 };
  const offset = await app.get('/users', { query });
  assert.deepEqual([offset.headers['x-total'], offset.headers['x-next-page']], ['3', '2']);
  const seen: string[] = [];
  let page = await app.get('/users', { query: { ...query, pagination: 'keyset' } });
  for (let n = 0; n < 3; n += 1) {
    seen.push(...expectStatus<Shown[]>(page, 200).map(({ username }) => username));
    assert.equal(page.headers['x-total'], undefined);
    const next = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    if (next === undefined) break;
    page = await app.get(next);
  }
  assert.deepEqual(seen, ['key-b', 'key-a', 'key-c']);
  expectStatus(await app.get('/users', { query: { pagination: 'keyset', cursor: 'nonsense' } }), 400);
  const cursor = Buffer.from('["a\\u0000",1]').toString('base64url');
  expectStatus(await app.get('/users', { query: { ...query, pagination: 'keyset', cursor } }), 400);
});

test('POST /users makes a user with a namespace who can sign in', async () => {
  const made = await create({
    bio: 'Builds things',
    job_title: 'Engineer',
    organization: 'Example',
    projects_limit: 5,
    can_create_group: false,
    external: true,
    note: 'for the tests',
    admin: false,
  });
  assert.equal(made.work_information, 'Engineer at Example');
  assert.deepEqual(
    [made.bio, made.projects_limit, made.can_create_group, made.external, made.note],
    ['Builds things', 5, false, true, 'for the tests'],
  );
  assert.equal((made.created_by as Shown).id, 1);
  const row = await app.deps.db.selectFrom('users').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  assert.equal(await verifyPassword('correct horse', row.password_hash!), true);
  assert.ok(!JSON.stringify(made).includes('argon2'));
  const namespace = await app.deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', Number(made.namespace_id))
    .executeTakeFirstOrThrow();
  assert.deepEqual([namespace.full_path, namespace.owner_id], [made.username, made.id]);
});

test('POST /users takes parameters from the query with an empty body', async () => {
  const query = { email: 'q@example.org', name: 'Q', username: 'query-user', password: 'correct horse' };
  assert.equal(expectStatus<Shown>(await app.post('/users', { query, json: {} }), 201).username, 'query-user');
});

test('POST /users without a password needs a way to get one', async () => {
  const { password: _, ...rest } = newUser();
  assert.equal(
    await refusal(rest),
    'password, reset_password, force_random_password are missing, at least one parameter must be provided',
  );
  await create({ password: undefined, force_random_password: true });
  await create({ password: undefined, reset_password: true });
});

test('POST /users refuses what does not validate, in the words of the field', async () => {
  assert.equal(await refusal(newUser({ password: 'short' })), 'password is too short (minimum is 8 characters)');
  assert.equal(
    await refusal(newUser({ password: 'x'.repeat(129) })),
    'password is too long (maximum is 128 characters)',
  );
  for (const email of ['no-at', 'a b@c.d', 'a@b@c', 'a@b\nc', '<a@b>', `${'x'.repeat(251)}@b.c`]) {
    assert.equal(await refusal(newUser({ email })), 'email is invalid', email);
  }
  assert.equal(await refusal(newUser({ website_url: 'javascript:alert(1)' })), 'website_url is not a valid URL');
  assert.equal(await refusal(newUser({ bio: 'x'.repeat(256) })), 'bio is too long (maximum is 255 characters)');
  assert.equal(await refusal(newUser({ name: 'two\nlines' })), 'name is invalid');
  assert.equal(await refusal(newUser({ public_email: 'other@example.org' })), 'public_email is not an email you own');
  assert.equal(await refusal({ password: 'correct horse' }), 'email is missing, name is missing, username is missing');
});

test('POST /users refuses user names that would break addresses', async () => {
  for (const username of ['a', '-x', 'x.git', 'x.atom', 'a/b', 'a b', '..', 'api', 'ADMIN', 'groups', 'ünïcode', '']) {
    const body = expectStatus(await app.post('/users', { json: newUser({ username }) }), 400);
    assert.match(String(body.message), /^username /, username);
  }
});

test('POST /users refuses taken names and addresses with 409, whatever their case', async () => {
  const first = newUser();
  await create(first);
  assert.equal(await refusal(newUser({ email: first.email.toUpperCase() }), 409), 'Email has already been taken');
  assert.equal(
    await refusal(newUser({ username: first.username.toUpperCase() }), 409),
    'Username has already been taken',
  );
  await app.make.group({ path: 'a-group' });
  assert.equal(await refusal(newUser({ username: 'A-Group' })), 'username has already been taken');
});

test('of two users made at once with one name, one is made', async () => {
  const json = newUser();
  const answers = await Promise.all([
    app.post('/users', { json }),
    app.post('/users', { json: { ...json, email: 'another@example.org' } }),
  ]);
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [201, 409]);
});

test('POST /users ignores attributes that are not to be given', async () => {
  const made = await create({ id: 1, is_admin: true, state: 'blocked', kind: 'ghost', created_at: '2000-01-01' });
  assert.deepEqual([made.is_admin, made.state, made.bot], [false, 'active', false]);
  assert.notEqual(made.id, 1);
});

test('creating, changing and deleting users is for administrators', async () => {
  const { user, token } = await app.make.user();
  const writer = await app.make.token(1, ['read_api']);
  for (const [as, status] of [
    [token, 403],
    [null, 401],
    [writer, 403],
  ] as const) {
    expectStatus(await app.post('/users', { token: as, json: newUser() }), status);
    expectStatus(await app.put(`/users/${user.id}`, { token: as, json: { admin: true } }), status);
    expectStatus(await app.delete(`/users/${user.id}`, { token: as }), status);
    expectStatus(await app.post(`/users/${user.id}/block`, { token: as }), status);
  }
});

test('PUT /users/:id changes what is given and nothing else', async () => {
  const made = await create({ bio: 'before', location: 'Here' });
  const json = { bio: 'after', name: 'New Name', admin: true, private_profile: true };
  const changed = expectStatus<Shown>(await app.put(`/users/${made.id}`, { json }), 200);
  assert.deepEqual(
    [changed.bio, changed.name, changed.is_admin, changed.private_profile, changed.location, changed.email],
    ['after', 'New Name', true, true, 'Here', made.email],
  );
  const namespace = await app.deps.db
    .selectFrom('namespaces')
    .select('name')
    .where('id', '=', Number(made.namespace_id))
    .executeTakeFirstOrThrow();
  assert.equal(namespace.name, 'New Name');
  expectStatus(await app.put('/users/99999', { json }), 404);
});

test('PUT /users/:id changes the password', async () => {
  const made = await create();
  expectStatus(await app.put(`/users/${made.id}`, { json: { password: 'staple battery' } }), 200);
  const row = await app.deps.db.selectFrom('users').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow();
  assert.equal(await verifyPassword('staple battery', row.password_hash!), true);
  expectStatus(await app.put(`/users/${made.id}`, { json: { password: 'short' } }), 400);
});

test('PUT /users/:id refuses taken names and addresses, and lets one keep their own', async () => {
  const a = await create();
  const b = await create();
  const change = (json: object) => app.put(`/users/${a.id}`, { json });
  assert.equal(expectStatus(await change({ email: b.email }), 409).message, 'Email has already been taken');
  assert.equal(expectStatus(await change({ username: b.username }), 409).message, 'Username has already been taken');
  expectStatus(await change({ email: a.email, username: a.username }), 200);
});

test('a new user name moves the projects, and old addresses lead on', async () => {
  const { user, token } = await app.make.user({ username: 'old-name' });
  const project = await app.make.project({ owner: user, path: 'thing' });
  expectStatus(await app.put(`/users/${user.id}`, { json: { username: 'new-name' } }), 200);
  const row = await app.deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.equal(row.full_path, 'new-name/thing');
  const route = await app.deps.db
    .selectFrom('redirect_routes')
    .selectAll()
    .where('source_id', '=', project.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual([route.path, route.source_type], ['old-name/thing', 'project']);
  assert.equal(expectStatus<Shown>(await app.get('/user', { token }), 200).username, 'new-name');
  expectStatus(await app.put(`/users/${user.id}`, { json: { username: 'old-name' } }), 200);
  const back = await app.deps.db
    .selectFrom('redirect_routes')
    .select('path')
    .where('source_id', '=', project.id)
    .execute();
  assert.deepEqual(
    back.map(({ path }) => path),
    ['new-name/thing'],
  );
});

test('what is changed by name only leaves the password alone', async () => {
  const password_hash = await hashPassword('kept password', app.deps.config.passwordHash);
  const { user } = await app.make.user({ columns: { password_hash } });
  expectStatus(await app.put(`/users/${user.id}`, { json: { name: 'Other', password: '' } }), 400);
  expectStatus(await app.put(`/users/${user.id}`, { json: { name: 'Other' } }), 200);
  const row = await app.deps.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow();
  assert.equal(row.password_hash, password_hash);
});

test('identities at other providers are set, shown, found and removed by administrators', async () => {
  const identity = { provider: 'saml', extern_uid: 'CN=Ada' };
  const { id, identities } = await create(identity);
  assert.deepEqual(identities, [identity]);
  const one = expectStatus<Shown>(await app.get(`/users/${id}`), 200);
  assert.deepEqual([one.provider, one.extern_uid], [identity.provider, identity.extern_uid]);
  const shown = async () => expectStatus<Shown>(await app.get(`/users/${id}`), 200).identities;
  assert.deepEqual(await shown(), [identity]);
  const changed = { provider: 'saml', extern_uid: 'CN=Ada 2' };
  const second = { provider: 'ldapmain', extern_uid: 'uid=ada' };
  for (const json of [changed, second]) expectStatus(await app.put(`/users/${id}`, { json }), 200);
  assert.deepEqual(await shown(), [changed, second]);
  const idsOf = async (query: Record<string, string>) =>
    expectStatus<Shown[]>(await app.get('/users', { query }), 200).map((user) => user.id);
  assert.deepEqual(await idsOf({ provider: 'ldapmain', extern_uid: 'UID=ada' }), [id]);
  assert.deepEqual(await idsOf({ provider: 'ldapmain', extern_uid: 'CN=Ada 2' }), []);
  const half = 'extern_uid, provider provide all or none of parameters';
  assert.equal(expectStatus(await app.get('/users', { query: { provider: 'saml' } }), 400).message, half);
  assert.equal(expectStatus(await app.put(`/users/${id}`, { json: { extern_uid: 'x' } }), 400).message, half);
  const token = await app.make.token(id);
  assert.deepEqual(expectStatus<Shown>(await app.get('/user', { token }), 200).identities, [changed, second]);
  expectStatus(await app.delete(`/users/${id}/identities/saml`, { token }), 403);
  expectStatus(await app.delete(`/users/${id}/identities/saml`, { token: null }), 401);
  expectStatus(await app.delete(`/users/${id}/identities/saml`), 204);
  assert.equal(expectStatus(await app.delete(`/users/${id}/identities/saml`), 404).message, '404 Identity Not Found');
  assert.equal(expectStatus(await app.delete('/users/99999/identities/saml'), 404).message, '404 User Not Found');
  assert.deepEqual(await shown(), [second]);
});

test('an identity belongs to one user, and is refused where it says nothing', async () => {
  const identity = { provider: 'saml', extern_uid: 'one-only' };
  await create(identity);
  const taken = 'extern_uid has already been taken';
  assert.equal(await refusal(newUser({ ...identity, extern_uid: 'ONE-only' })), taken);
  const other = await create();
  assert.equal(expectStatus(await app.put(`/users/${other.id}`, { json: identity }), 400).message, taken);
  assert.match(String(await refusal(newUser({ provider: ' ', extern_uid: 'x' }))), /^provider can't be blank/);
  assert.match(String(await refusal(newUser({ provider: 'x'.repeat(256), extern_uid: 'x' }))), /^provider is too long/);
  assert.deepEqual(expectStatus<Shown>(await app.get(`/users/${other.id}`), 200).identities, []);
});
