import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { GitUser } from '../../../../test/support/git-user.ts';

type Json = Record<string, unknown>;
const PATH = '/broadcast_messages';
const HOUR = 3_600_000;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = new TestClock(new Date('2026-05-01T12:00:00.000Z'));
  app = await buildTestApp({ clock });
});
after(() => app.close());

const make = async (json: Json) => expectStatus<Json>(await app.post(PATH, { json }), 201);
const refused = async (json: Json) => String(expectStatus<Json>(await app.post(PATH, { json }), 400).message);
const remove = async (id: unknown) => expectStatus(await app.delete(`${PATH}/${id}`), 204);

test('a message is a banner for an hour, for everybody, unless it says otherwise', async () => {
  const made = await make({ message: 'Down tonight' });
  assert.deepEqual(made, {
    id: made.id,
    message: 'Down tonight',
    starts_at: '2026-05-01T12:00:00.000Z',
    ends_at: '2026-05-01T13:00:00.000Z',
    font: '#FFFFFF',
    active: true,
    target_access_levels: [],
    target_path: null,
    broadcast_type: 'banner',
    theme: 'indigo',
    dismissable: false,
  });
  assert.deepEqual(expectStatus(await app.get(`${PATH}/${made.id}`, { token: null }), 200), made);
  await remove(made.id);
  assert.equal(expectStatus<Json>(await app.get(`${PATH}/${made.id}`, { token: null }), 404).message, '404 Not found');
});

test('everything of it can be given, and changed bit by bit', async () => {
  const input = {
    message: 'Maintainers: *please read*',
    starts_at: '2026-06-01T00:00:00.000Z',
    ends_at: '2026-06-02T00:00:00.000Z',
    font: '#123abc',
    target_access_levels: [40, 50],
    target_path: '/tools/*',
    broadcast_type: 'notification',
    theme: 'light-red',
    dismissable: true,
  };
  const made = await make(input);
  assert.deepEqual(made, { ...input, id: made.id, active: false });
  const put = async (json: Json) => expectStatus<Json>(await app.put(`${PATH}/${made.id}`, { json }), 200);
  assert.deepEqual(await put({}), made);
  assert.deepEqual(await put({ theme: 'dark', target_access_levels: '10,20' }), {
    ...made,
    theme: 'dark',
    target_access_levels: [10, 20],
  });
  assert.equal((await put({ target_path: '' })).target_path, null);
  assert.equal((await put({ starts_at: null })).starts_at, input.starts_at);
  await remove(made.id);
});

test('it is active from its beginning to its end', async () => {
  const now = clock.now().getTime();
  const at = (ms: number) => new Date(now + ms).toISOString();
  const { id } = await make({ message: 'x', starts_at: at(HOUR), ends_at: at(2 * HOUR) });
  const active = async () => expectStatus<Json>(await app.get(`${PATH}/${id}`), 200).active;
  assert.equal(await active(), false);
  clock.advance(HOUR);
  assert.equal(await active(), true);
  clock.advance(HOUR);
  assert.equal(await active(), true);
  clock.advance(1);
  assert.equal(await active(), false);
  await remove(id);
});

test('the list has the newest first, by pages, for everybody', async () => {
  const ids: unknown[] = [];
  for (const message of ['a', 'b', 'c']) ids.unshift((await make({ message, target_access_levels: [50] })).id);
  const response = await app.get(PATH, { token: null, query: { per_page: 2 } });
  assert.deepEqual(
    expectStatus<Json[]>(response, 200).map(({ id }) => id),
    ids.slice(0, 2),
  );
  assert.equal(response.headers['x-total'], '3');
  for (const id of ids) await remove(id);
  assert.deepEqual(expectStatus(await app.get(PATH, { token: null }), 200), []);
});

describe('bad messages are refused', () => {
  test('with what to change', async () => {
    assert.equal(await refused({}), 'message is missing');
    assert.equal(await refused({ message: ' ' }), "message can't be blank");
    assert.equal(await refused({ message: 'x', theme: 'pink' }), 'theme does not have a valid value');
    assert.equal(
      await refused({ message: 'x', broadcast_type: 'shout' }),
      'broadcast_type does not have a valid value',
    );
    assert.match(await refused({ message: 'x', target_access_levels: [60] }), /target_access_levels/);
    assert.match(await refused({ message: 'x', target_access_levels: [5] }), /target_access_levels/);
    assert.equal(await refused({ message: 'x', ends_at: 'soon' }), 'ends_at is invalid');
    assert.match(await refused({ message: 'x', font: 'url(javascript:alert(1))' }), /font/);
    assert.equal(await refused({ message: 'x', font: 'red' }), 'font must be a valid color code');
    assert.match(await refused({ message: 'x', target_path: 'p'.repeat(256) }), /target_path is too long/);
    assert.match(await refused({ message: 'x'.repeat(10_001) }), /message is too long/);
  });

  test('and those that are not there', async () => {
    expectStatus(await app.put(`${PATH}/4711`, { json: { message: 'x' } }), 404);
    expectStatus(await app.delete(`${PATH}/4711`), 404);
    expectStatus(await app.get(`${PATH}/99999999999999999999`), 400);
  });

  test('by anybody but administrators', async () => {
    const { id } = await make({ message: 'x' });
    const { token } = await app.make.user();
    for (const [who, status] of [
      [token, 403],
      [null, 401],
    ] as const) {
      expectStatus(await app.post(PATH, { token: who, json: { message: 'y' } }), status);
      expectStatus(await app.put(`${PATH}/${id}`, { token: who, json: { message: 'y' } }), status);
      expectStatus(await app.delete(`${PATH}/${id}`, { token: who }), status);
      expectStatus(await app.get(PATH, { token: who }), 200);
    }
    await remove(id);
  });
});

test('whoever pushes is shown the banner that is for the project', async () => {
  const git = await GitUser.of(app);
  const project = await app.make.project({ namespace: await app.make.group() });
  const { user, token } = await app.make.user();
  await app.make.member({ project }, user, 30);
  const tree = await git.tree();
  await git.ok(tree, 'push', git.address(project), 'main');
  let count = 0;
  const push = async () => {
    await git.commit(tree, `file${++count}.txt`, 'x');
    return git.ok(tree, 'push', git.address(project, token), 'HEAD:refs/heads/topic');
  };
  assert.doesNotMatch(await push(), /={72}/);
  const messages = [
    await make({ message: 'Read this before you go on, for it is about all of us and it is rather long.' }),
    await make({ message: 'Not for you', target_access_levels: [50] }),
    await make({ message: 'Not here', target_path: '/elsewhere/*' }),
    await make({ message: 'Not a banner', broadcast_type: 'notification' }),
  ];
  const shown = await push();
  assert.match(
    shown,
    /={72}\s+remote:\s+remote: +Read this before you go on, .+\s+remote: +rather long\.\s+remote:\s+remote: ={72}/,
  );
  assert.doesNotMatch(shown, /Not /);
  messages.push(await make({ message: 'For this project', target_path: `/${project.full_path.split('/')[0]}*` }));
  messages.push(await make({ message: 'For all, later' }));
  const closer = await push();
  assert.match(closer, /For this project/);
  assert.doesNotMatch(closer, /For all|Read this/);
  for (const { id } of messages) await remove(id);
  assert.doesNotMatch(await push(), /={72}/);
});
