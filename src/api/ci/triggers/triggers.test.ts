import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';

interface Trigger {
  id: number;
  token: string;
  description: string;
  last_used: string | null;
  expires_at: string | null;
  owner: { id: number };
  message?: string;
}

const clock = new TestClock();
let app: TestApp;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());

test('a trigger token is made, listed, read, changed and deleted', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/triggers`;
  const made = expectStatus<Trigger>(await app.post(path, { json: { description: 'Deploy bot' } }), 201);
  const { id, token, owner, ...rest } = made;
  assert.match(token, /^glptt-[A-Za-z0-9]{40}$/);
  assert.equal(owner.id, 1);
  const now = '2026-06-15T12:00:00.000Z';
  assert.deepEqual(rest, {
    description: 'Deploy bot',
    created_at: now,
    updated_at: now,
    last_used: null,
    expires_at: null,
  });
  assert.deepEqual(expectStatus(await app.get(path), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${id}`), 200), made);
  const changed = expectStatus<Trigger>(await app.put(`${path}/${id}`, { json: { description: 'Other' } }), 200);
  assert.deepEqual(changed, { ...made, description: 'Other' });
  expectStatus(await app.delete(`${path}/${id}`), 204);
  assert.equal(expectStatus<Trigger>(await app.get(`${path}/${id}`), 404).message, '404 Trigger Not Found');
});

test('the end of a trigger token is in the future', async () => {
  const path = `/projects/${(await app.make.project()).id}/triggers`;
  const json = (expires_at: string) => ({ description: 'x', expires_at });
  assert.equal(
    expectStatus<Trigger>(await app.post(path, { json: json('2027-01-01') }), 201).expires_at,
    '2027-01-01T00:00:00.000Z',
  );
  expectStatus(await app.post(path, { json: json('2026-01-01') }), 400);
  assert.equal(expectStatus<Trigger>(await app.post(path, { json: {} }), 400).message, 'description is missing');
});

test('trigger tokens are for Maintainers, and whole for their owner alone', async () => {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const path = `/projects/${project.id}/triggers`;
  const json = { description: 'x' };
  const { maintainer, owner } = people;
  const made = expectStatus<Trigger>(await app.post(path, { token: maintainer.token, json }), 201);
  const statuses: number[] = [];
  for (const { token } of Object.values(people)) statuses.push((await app.get(path, { token })).statusCode);
  assert.deepEqual(statuses, [403, 403, 403, 403, 200, 200, 404]);
  expectStatus(await app.get(path, { token: null }), 401);
  expectStatus(await app.post(path, { token: people.developer.token, json }), 403);
  assert.equal(
    expectStatus<Trigger>(await app.get(`${path}/${made.id}`, { token: maintainer.token }), 200).token,
    made.token,
  );
  assert.equal(
    expectStatus<Trigger>(await app.get(`${path}/${made.id}`, { token: owner.token }), 200).token,
    made.token.slice('glptt-'.length, 'glptt-'.length + 4),
  );
  expectStatus(await app.put(`${path}/${made.id}`, { token: owner.token, json }), 403);
  expectStatus(await app.delete(`${path}/${made.id}`, { token: owner.token }), 204);
});
