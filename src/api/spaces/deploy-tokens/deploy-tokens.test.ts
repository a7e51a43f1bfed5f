import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Token {
  id: number;
  token?: string;
  username: string;
  expires_at: string | null;
  message?: string;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

async function source(kind: 'project' | 'group') {
  const [reader, manager] = [await app.make.user(), await app.make.user()];
  if (kind === 'group') {
    const group = await app.make.group({ owner: manager.user, visibility: 'public' });
    await app.make.member({ group }, reader.user, 40);
    return { path: `/groups/${group.id}/deploy_tokens`, reader, manager, below: { group } };
  }
  const project = await app.make.project({ visibility: 'public' });
  await app.make.member({ project }, manager.user, 40);
  return { path: `/projects/${project.id}/deploy_tokens`, reader: manager, manager, below: { project } };
}

for (const kind of ['project', 'group'] as const) {
  test(`a deploy token of a ${kind} is made, shown without its text, and deleted`, async () => {
    const { path, reader, manager } = await source(kind);
    const json = { name: 'ci', scopes: ['read_repository', 'read_registry'], expires_at: '2027-01-01' };
    const made = expectStatus<Token>(await app.post(path, { token: manager.token, json }), 201);
    const { token, ...shown } = made;
    assert.match(token ?? '', /^gldt-[A-Za-z0-9]{26}$/);
    assert.deepEqual(shown, {
      id: made.id,
      name: 'ci',
      username: `gitlab+deploy-token-${made.id}`,
      expires_at: '2027-01-01T00:00:00.000Z',
      scopes: ['read_repository', 'read_registry'],
      revoked: false,
      expired: false,
    });
    assert.deepEqual(expectStatus(await app.get(`${path}/${made.id}`, { token: reader.token }), 200), shown);
    assert.deepEqual(expectStatus(await app.get(path, { token: reader.token }), 200), [shown]);
    const old = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' };
    expectStatus(await app.delete(`${path}/${made.id}`, { token: manager.token, headers: old }), 412);
    expectStatus(await app.delete(`${path}/${made.id}`, { token: manager.token }), 204);
    const gone = expectStatus<Token>(await app.get(`${path}/${made.id}`, { token: reader.token }), 404);
    assert.equal(gone.message, '404 Deploy Token Not Found');
  });

  test(`deploy tokens of a ${kind} are for its managers`, async () => {
    const { path, manager, below } = await source(kind);
    const json = { name: 'ci', scopes: ['read_repository'] };
    const developer = await app.make.user();
    await app.make.member(below, developer.user, 30);
    const stranger = await app.make.user();
    for (const { token } of [developer, stranger]) {
      expectStatus(await app.get(path, { token }), 403);
      expectStatus(await app.post(path, { token, json }), 403);
    }
    expectStatus(await app.get(path, { token: null }), 401);
    const readOnly = await app.make.token(manager.user.id, ['read_api']);
    expectStatus(await app.get(path, { token: readOnly }), 200);
    expectStatus(await app.post(path, { token: readOnly, json }), 403);
    const made = expectStatus<Token>(await app.post(path, { token: manager.token, json }), 201);
    const other = await source(kind);
    expectStatus(await app.get(`${other.path}/${made.id}`, { token: other.manager.token }), 404);
    expectStatus(await app.delete(`${other.path}/${made.id}`, { token: other.manager.token }), 404);
  });
}

test('maintainers of a group read its deploy tokens, only owners make them', async () => {
  const { path, reader } = await source('group');
  expectStatus(await app.get(path, { token: reader.token }), 200);
  expectStatus(await app.post(path, { token: reader.token, json: { name: 'x', scopes: ['read_repository'] } }), 403);
});

test('deploy tokens that do not fit are refused', async () => {
  const { path } = await source('project');
  const refuse = async (json: object, message: string) =>
    assert.equal(expectStatus<Token>(await app.post(path, { json }), 400).message, message);
  await refuse({ scopes: ['read_repository'] }, 'name is missing, name is empty');
  await refuse({ name: 'x' }, 'scopes is missing');
  await refuse({ name: 'x', scopes: [] }, "Scopes can't be blank");
  await refuse({ name: 'x', scopes: ['api'] }, 'scopes does not have a valid value');
  await refuse({ name: 'x', scopes: ['read_repository'], expires_at: 'soon' }, 'expires_at is invalid');
  await refuse(
    { name: 'x', scopes: ['read_repository'], username: 'a b' },
    "username can contain only letters, digits, '_', '-', '+', and '.'",
  );
});

test('GET /deploy_tokens lists all of the server for administrators, active ones on demand', async () => {
  const { path } = await source('project');
  const make = async (json: object) =>
    expectStatus<Token>(await app.post(path, { json: { name: 'x', scopes: ['read_repository'], ...json } }), 201);
  const lasting = await make({ username: 'ada' });
  const short = await make({ expires_at: '2026-06-16T00:00:00Z' });
  assert.equal(lasting.username, 'ada');
  clock.advance(86_400_000);
  const list = async (query: Record<string, boolean>) =>
    expectStatus<Token[]>(await app.get('/deploy_tokens', { query: { ...query, per_page: 100 } }), 200).map(
      ({ id }) => id,
    );
  const [active, inactive, all] = [await list({ active: true }), await list({ active: false }), await list({})];
  assert.ok(active.includes(lasting.id) && !active.includes(short.id));
  assert.deepEqual(inactive, [short.id]);
  assert.equal(all.length, active.length + 1);
  const { token } = await app.make.user();
  expectStatus(await app.get('/deploy_tokens', { token }), 403);
  expectStatus(await app.get('/deploy_tokens', { token: null }), 401);
});
