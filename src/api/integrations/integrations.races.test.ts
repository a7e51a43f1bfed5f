import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../test/support/app.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
});
after(() => app.close());

const BATCH_SIZE = 6;
const statuses = async (ask: (n: number) => ReturnType<TestApp['get']>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: BATCH_SIZE }, (_, n) => ask(n)))).map(({ statusCode }) => statusCode).sort();
const url = 'http://127.0.0.1:9999/x';

test('of what there is one of there is one, however many ask for it at once', async () => {
  const [project, group] = [await app.make.project(), await app.make.group()];
  for (const at of [`/projects/${project.id}`, `/groups/${group.id}`]) {
    const put = (n: number) => app.put(`${at}/integrations/slack`, { json: { webhook: `${url}/${n}` } });
    assert.deepEqual(await statuses(put), Array(BATCH_SIZE).fill(200), at);
    const rule = () => app.post(`${at}/push_rule`, { json: { commit_message_regex: 'x' } });
    const [made, ...refused] = await statuses(rule);
    assert.equal(made, 201, at);
    assert.ok(
      refused.every((status) => status >= 400 && status < 500),
      refused.join(),
    );
  }
  const trackers = ['redmine', 'youtrack', 'bugzilla', 'redmine', 'youtrack', 'bugzilla'];
  const json = { project_url: `${url}/p`, issues_url: `${url}/:id`, new_issue_url: `${url}/new` };
  await statuses((n) => app.put(`/projects/${project.id}/integrations/${trackers[n]}`, { json }));
  const listed = expectStatus<Json[]>(await app.get(`/projects/${project.id}/integrations`), 200);
  assert.equal(listed.filter(({ slug }) => trackers.includes(String(slug))).length, 1);
});

test('a project gets no more hooks than it may have by asking at once', async () => {
  const project = await app.make.project();
  const at = `/projects/${project.id}/hooks`;
  const first = expectStatus<Json>(await app.post(at, { json: { url } }), 201);
  const row = await app.deps.db
    .selectFrom('web_hooks')
    .selectAll()
    .where('id', '=', Number(first.id))
    .executeTakeFirstOrThrow();
  const { id: _, ...columns } = row;
  await app.deps.db.insertInto('web_hooks').values(Array(97).fill(columns)).execute();
  const made = await statuses((n) => app.post(at, { json: { url: `${url}/${n}` } }));
  assert.deepEqual(made, [201, 201, 422, 422, 422, 422]);
});

test('what goes meanwhile is not there, and breaks nothing', async () => {
  const project = await app.make.project();
  const { id } = expectStatus<Json>(await app.post(`/projects/${project.id}/hooks`, { json: { url } }), 201);
  const hook = `/projects/${project.id}/hooks/${id}`;
  const asked = await statuses((n) =>
    n % 3 === 0 ? app.delete(hook) : n % 3 === 1 ? app.put(hook, { json: { name: `n${n}` } }) : app.get(hook),
  );
  assert.ok(
    asked.every((status) => [200, 204, 404].includes(status)),
    asked.join(),
  );
  expectStatus(await app.get(hook), 404);
  const gone = await app.make.project();
  const all = await statuses((n) =>
    n === 0
      ? app.delete(`/projects/${gone.id}`, { query: { permanently_remove: true, full_path: gone.full_path } })
      : n % 2 === 0
        ? app.post(`/projects/${gone.id}/hooks`, { json: { url } })
        : app.put(`/projects/${gone.id}/integrations/slack`, { json: { webhook: url } }),
  );
  assert.ok(
    all.every((status) => status < 500),
    all.join(),
  );
  await app.drain();
});
