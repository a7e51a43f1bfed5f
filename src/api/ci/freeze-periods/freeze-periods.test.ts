import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';

interface Period {
  id: number;
  freeze_start: string;
  errors?: Record<string, string[]>;
}

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const WEEKEND = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' };

test('a freeze period is made, listed, read, changed and deleted', async () => {
  const path = `/projects/${(await app.make.project()).id}/freeze_periods`;
  const made = expectStatus<Period>(await app.post(path, { json: WEEKEND }), 201);
  const { id, ...rest } = made;
  assert.deepEqual(Object.keys(rest).sort(), [
    'created_at',
    'cron_timezone',
    'freeze_end',
    'freeze_start',
    'updated_at',
  ]);
  assert.deepEqual(expectStatus(await app.get(path), 200), [made]);
  assert.deepEqual(expectStatus(await app.get(`${path}/${id}`), 200), made);
  const json = { freeze_start: '0 1 * * 5', cron_timezone: 'Tokyo' };
  const changed = expectStatus<Period>(await app.put(`${path}/${id}`, { json }), 200);
  assert.equal(changed.freeze_start, '0 1 * * 5');
  expectStatus(await app.delete(`${path}/${id}`), 204);
  for (const method of ['GET', 'PUT', 'DELETE']) expectStatus(await app.request(method, `${path}/${id}`), 404);
});

test('lines and zones that cannot be read are refused', async () => {
  const path = `/projects/${(await app.make.project()).id}/freeze_periods`;
  const wrong = ['syntax is invalid'];
  const errors = async (json: object) =>
    expectStatus<Period>(await app.post(path, { json: { ...WEEKEND, ...json } }), 400).errors;
  assert.deepEqual(await errors({ freeze_start: 'Friday' }), { freeze_start: wrong });
  assert.deepEqual(await errors({ freeze_end: '', cron_timezone: 'Nowhere' }), {
    freeze_end: wrong,
    cron_timezone: wrong,
  });
  expectStatus(await app.post(path, { json: { freeze_start: '0 1 * * *' } }), 400);
  const { id } = expectStatus<Period>(await app.post(path, { json: WEEKEND }), 201);
  assert.deepEqual(expectStatus<Period>(await app.put(`${path}/${id}`, { json: { freeze_end: 'x' } }), 400).errors, {
    freeze_end: wrong,
  });
});

test('Reporters see freeze periods, Maintainers keep them', async () => {
  const project = await app.make.project();
  const path = `/projects/${project.id}/freeze_periods`;
  const people = await app.make.members(project);
  const statuses = async (method: string, json?: object) =>
    (
      await Promise.all(
        Object.values(people).map(({ token }) =>
          app.request(method, path, { token, ...(json === undefined ? {} : { json }) }),
        ),
      )
    )
      .map(({ statusCode }) => statusCode)
      .join(' ');
  assert.equal(await statuses('GET'), '403 403 200 200 200 200 404');
  assert.equal(await statuses('POST', WEEKEND), '403 403 403 403 201 201 404');
  expectStatus(await app.get(path, { token: null }), 401);
});
