import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { humanDuration, parseDuration } from './issuables.durations.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

interface Stats {
  time_estimate: number;
  total_time_spent: number;
  human_time_estimate: string | null;
  human_total_time_spent: string | null;
}
const message = (body: unknown) => (body as { message: string }).message;

async function issue(visibility: 'public' | 'private' = 'private') {
  const project = await app.make.project({ visibility });
  expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title: 'x' } }), 201);
  return { project, path: `/projects/${project.id}/issues/1` };
}

test('durations are read as people write them', () => {
  const cases: [string, number | null][] = [
    ['1h30m', 5_400],
    ['1h 30m', 5_400],
    ['3d', 86_400],
    ['2w', 288_000],
    ['1mo 2w 3d 4h 5m', 576_000 + 288_000 + 86_400 + 14_400 + 300],
    ['1.5h', 5_400],
    ['2 hours and 5 minutes', 7_500],
    ['2', 7_200],
    ['-1h', -3_600],
    ['0', 0],
    ['0h', 0],
    ['', null],
    ['soon', null],
    ['1x', null],
    ['1h foo', null],
    ['999999999999999w', null],
    ['1'.repeat(200), null],
  ];
  for (const [text, seconds] of cases) assert.equal(parseDuration(text), seconds, text);
  assert.equal(humanDuration(5_400), '1h 30m');
  assert.equal(humanDuration(576_000 + 288_000 + 28_800 + 61), '1mo 2w 1d 1m 1s');
  assert.equal(humanDuration(-60), '-1m');
  assert.equal(humanDuration(0), null);
});

test('estimates are set and taken away', async () => {
  const { path } = await issue();
  const set = expectStatus<Stats>(await app.post(`${path}/time_estimate`, { json: { duration: '3h30m' } }), 200);
  assert.deepEqual(set, {
    time_estimate: 12_600,
    total_time_spent: 0,
    human_time_estimate: '3h 30m',
    human_total_time_spent: null,
  });
  assert.deepEqual(expectStatus(await app.get(`${path}/time_stats`), 200), set);
  const reset = expectStatus<Stats>(await app.post(`${path}/reset_time_estimate`), 200);
  assert.equal(reset.time_estimate, 0);
  for (const duration of ['soon', '-1h']) {
    const refused = await app.post(`${path}/time_estimate`, { json: { duration } });
    const text = 'time_estimate must have a valid format and be greater than or equal to zero.';
    assert.equal(message(expectStatus(refused, 400)), text);
  }
  const missing = await app.post(`${path}/time_estimate`);
  assert.equal(message(expectStatus(missing, 400)), 'duration is missing');
});

test('time spent is added, taken back and reset, with an entry for each', async () => {
  const { path, project } = await issue();
  const add = (duration: string) => app.post(`${path}/add_spent_time`, { json: { duration, summary: 'Work' } });
  expectStatus(await add('1h'), 201);
  assert.equal(expectStatus<Stats>(await add('-15m'), 201).total_time_spent, 2_700);
  assert.equal(message(expectStatus(await add('-2h'), 400)), 'Time to subtract exceeds the total time spent');
  expectStatus(await add('later'), 400);
  const reset = expectStatus<Stats>(await app.post(`${path}/reset_spent_time`), 200);
  assert.deepEqual([reset.total_time_spent, reset.human_total_time_spent], [0, null]);
  const logs = await app.deps.db
    .selectFrom('time_logs')
    .select(['time_spent', 'summary'])
    .where('project_id', '=', project.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    logs.map(({ time_spent, summary }) => [time_spent, summary]),
    [
      [3_600, 'Work'],
      [-900, 'Work'],
      [-2_700, null],
    ],
  );
});

test('times added at once all count', async () => {
  const { path } = await issue();
  await Promise.all(Array.from({ length: 10 }, () => app.post(`${path}/add_spent_time`, { json: { duration: '1m' } })));
  assert.equal(expectStatus<Stats>(await app.get(`${path}/time_stats`), 200).total_time_spent, 600);
});

test('times are kept by Planners and up, and read by whoever reads the issue', async () => {
  const { path, project } = await issue('public');
  const { stranger, guest, planner } = await app.make.members(project);
  const json = { duration: '1h' };
  expectStatus(await app.post(`${path}/add_spent_time`, { token: null, json }), 401);
  for (const { token } of [stranger, guest]) {
    for (const action of ['time_estimate', 'reset_time_estimate', 'add_spent_time', 'reset_spent_time']) {
      expectStatus(await app.post(`${path}/${action}`, { token, json }), 403);
    }
  }
  expectStatus(await app.post(`${path}/time_estimate`, { token: planner.token, json }), 200);
  expectStatus(await app.get(`${path}/time_stats`, { token: null }), 200);
  const readOnly = await app.make.token(planner.user.id, ['read_api']);
  expectStatus(await app.post(`${path}/time_estimate`, { token: readOnly, json }), 403);
});

test('following is said once; participants are those who take part', async () => {
  const { path, project } = await issue('public');
  const { stranger, guest, developer } = await app.make.members(project);
  for (const { token } of [stranger]) {
    expectStatus(await app.post(`${path}/unsubscribe`, { token }), 304);
    assert.equal(expectStatus(await app.post(`${path}/subscribe`, { token }), 201).subscribed, true);
    expectStatus(await app.post(`${path}/subscribe`, { token }), 304);
    assert.equal(expectStatus(await app.post(`${path}/unsubscribe`, { token }), 201).subscribed, false);
  }
  expectStatus(await app.post(`${path}/subscribe`, { token: null }), 401);
  // The author takes part without saying so, until they say no.
  expectStatus(await app.post(`${path}/subscribe`), 304);
  assert.equal(expectStatus(await app.post(`${path}/unsubscribe`), 201).subscribed, false);
  expectStatus(await app.put(path, { json: { assignee_id: guest.user.id } }), 200);
  expectStatus(await app.post(`${path}/notes`, { token: developer.token, json: { body: 'Hi', internal: true } }), 201);
  const ids = async (token: string | null) =>
    expectStatus<{ id: number }[]>(await app.get(`${path}/participants`, { token }), 200).map(({ id }) => id);
  assert.deepEqual(await ids(null), [1, guest.user.id]);
  assert.deepEqual(await ids(developer.token), [1, guest.user.id, developer.user.id]);
  assert.equal(expectStatus(await app.get(path, { token: guest.token }), 200).subscribed, true);
  assert.equal(expectStatus(await app.get(path, { token: stranger.token }), 200).subscribed, false);
  assert.equal(expectStatus(await app.get(path, { token: null }), 200).subscribed, undefined);
});

test('members who leave lose their issues where that is asked for', async () => {
  const group = await app.make.group();
  const inner = await app.make.project({ namespace: group });
  const other = await app.make.project();
  const { user } = await app.make.user();
  await app.make.member({ group }, user, 30);
  await app.make.member({ project: other }, user, 30);
  const assigned = async (project: { id: number }) => {
    const [row] = expectStatus<{ assignees: unknown[] }[]>(await app.get(`/projects/${project.id}/issues`), 200);
    return row!.assignees.length;
  };
  for (const { id } of [inner, other]) {
    expectStatus(await app.post(`/projects/${id}/issues`, { json: { title: 'x', assignee_id: user.id } }), 201);
  }
  expectStatus(
    await app.delete(`/groups/${group.id}/members/${user.id}`, { query: { unassign_issuables: true } }),
    204,
  );
  await app.drain();
  assert.deepEqual([await assigned(inner), await assigned(other)], [0, 1]);
  expectStatus(await app.delete(`/projects/${other.id}/members/${user.id}`), 204);
  await app.drain();
  assert.equal(await assigned(other), 1);
});
