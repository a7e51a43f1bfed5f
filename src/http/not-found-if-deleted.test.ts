import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_LOG_LEVEL: 'error' } });
});
after(() => app.close());

/** Sends requests while their object is deleted, with different delays, and returns the statuses. */
async function race(requests: (() => Promise<{ statusCode: number; body: string }>)[], remove: () => Promise<unknown>) {
  const answers = requests.map((request) => request());
  await new Promise(setImmediate);
  const removed = remove();
  answers.push(...requests.map((request) => request()));
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  answers.push(...requests.map((request) => request()));
  await removed;
  return Promise.all(answers);
}

function noServerErrors(answers: readonly { statusCode: number; body: string }[]): void {
  const bad = answers.filter(({ statusCode }) => statusCode >= 500);
  assert.deepEqual(
    bad.map(({ statusCode, body }) => `${statusCode} ${body}`),
    [],
    app.logLines.join(''),
  );
  for (const { statusCode, body } of answers) {
    if (statusCode >= 400) assert.match(JSON.parse(body).message, /\S/);
  }
}

test('what is made in a project that is deleted meanwhile is 404, never 500', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { id } = await app.make.project();
    await commitFiles(app, id, { a: 'a' });
    const at = `/projects/${id}`;
    const answers = await race(
      [
        () => app.post(`${at}/issues`, { json: { title: 'i', labels: 'a,b' } }),
        () => app.post(`${at}/labels`, { json: { name: `l${Math.random()}`, color: '#ff0000' } }),
        () => app.post(`${at}/milestones`, { json: { title: `m${Math.random()}` } }),
        () => app.post(`${at}/repository/branches`, { json: { branch: `b${Math.random()}`, ref: 'main' } }),
        () => app.post(`${at}/protected_branches`, { json: { name: `p${Math.random()}` } }),
        () => app.post(`${at}/snippets`, { json: { title: 's', file_name: 'f', content: 'c', visibility: 'private' } }),
        () => app.put(at, { json: { description: 'd' } }),
        () => app.get(`${at}/repository/tree`),
        () => app.get(`${at}/repository/commits`),
      ],
      () => app.delete(at),
    );
    noServerErrors(answers);
  }
});

test('what is said about an issue that is deleted meanwhile is 404, never 500', async () => {
  const { id } = await app.make.project();
  for (let round = 0; round < 5; round += 1) {
    const { iid } = expectStatus<{ iid: number }>(
      await app.post(`/projects/${id}/issues`, { json: { title: 'i' } }),
      201,
    );
    const at = `/projects/${id}/issues/${iid}`;
    const answers = await race(
      [
        () => app.post(`${at}/notes`, { json: { body: 'n' } }),
        () => app.post(`${at}/award_emoji`, { json: { name: 'thumbsup' } }),
        () => app.post(`${at}/subscribe`),
        () => app.put(at, { json: { title: 't', add_labels: 'x' } }),
        () => app.get(at),
      ],
      () => app.delete(at),
    );
    noServerErrors(answers);
  }
});
