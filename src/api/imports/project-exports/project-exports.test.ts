import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { type FileServer, serveFiles } from '../../../../test/support/file-server.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { temporaryFolder } from '../../../../test/support/git-fixture.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { entriesOf } from '../../../../test/support/tar.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

type Json = Record<string, unknown>;
const clock = new TestClock(new Date());
let app: TestApp;
let elsewhere: FileServer;
const received: { method: string | undefined; bytes: number }[] = [];
before(async () => {
  app = await buildTestApp({ clock, settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  elsewhere = await serveFiles({
    '/moved?key=very-secret': (_, response) => response.writeHead(307, { location: `${elsewhere.url}/archive` }).end(),
    '/archive': (request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => {
        received.push({ method: request.method, bytes });
        response.end();
      });
    },
  });
});
after(async () => {
  await elsewhere.close();
  await app.close();
});

const of = (project: Pick<Project, 'id'>, rest = '') => `/projects/${project.id}/export${rest}`;
const message = (response: Awaited<ReturnType<TestApp['get']>>, status: number) =>
  String(expectStatus<Json>(response, status).message);
const statusOf = async (project: Project) => expectStatus<Json>(await app.get(of(project)), 200).export_status;

test('a project is packed into one archive, with its repository, files and all that is in it', async (t) => {
  const group = await app.make.group({ path: 'acme' });
  const project = await app.make.project({ namespace: group, path: 'tool' });
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { 'a.txt': 'a' });
  const place = `/projects/${project.id}`;
  const file = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.from('of the upload') });
  const { url } = expectStatus<{ url: string }>(await app.post(`${place}/uploads`, file), 201);
  expectStatus(await app.post(`${place}/issues`, { json: { title: 'Größe ☃', labels: 'own' } }), 201);
  assert.equal(await statusOf(project), 'none');
  assert.equal(message(await app.get(of(project, '/download')), 404), '404 Not found or has expired');
  assert.deepEqual(expectStatus(await app.post(of(project)), 202), { message: '202 Accepted' });
  assert.equal(await statusOf(project), 'queued');
  await app.drain();

  const shown = expectStatus<Json>(await app.get(of(project)), 200);
  assert.deepEqual(
    [shown.export_status, shown.path_with_namespace, shown.name_with_namespace],
    ['finished', 'acme/tool', `${group.name} / ${project.name}`],
  );
  const response = await app.get(of(project, '/download'));
  assert.equal(response.statusCode, 200);
  assert.match(
    String(response.headers['content-disposition']),
    /filename="\d{4}-\d\d-\d\d_\d\d-\d\d-\d{3}_acme_tool_export\.tar\.gz"/,
  );
  const entries = new Map(await entriesOf(gunzipSync(response.rawPayload)));
  assert.equal(entries.get('VERSION'), '0.2.4');
  const line = (name: string) => JSON.parse(entries.get(name)!.split('\n')[0]!) as Json;
  assert.deepEqual([line('tree/project.json').path, line('tree/project.json').default_branch], ['tool', 'main']);
  assert.equal(line('tree/project/issues.ndjson').title, 'Größe ☃');
  assert.equal(line('tree/project/labels.ndjson').title, 'own');
  assert.equal(line('tree/project/user_contributions.ndjson').username, 'root');
  assert.equal(entries.get(`uploads/${url.split('/').slice(2).join('/')}`), 'of the upload');
  assert.equal(entries.get('lfs-objects.json'), '{}');
  const listed = expectStatus<Json[]>(await app.get(`${place}/export_relations/status`), 200);
  assert.deepEqual(listed, []);

  // The bundle is git's own: it can be cloned. Its bytes are no text, so they are taken out by tar itself.
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'a.tar.gz'), response.rawPayload);
  outputOf('tar', ['-xzf', 'a.tar.gz', 'project.bundle'], { cwd: folder });
  const heads = outputOf('git', ['bundle', 'list-heads', 'project.bundle'], { cwd: folder }).toString();
  assert.match(heads, new RegExp(`${sha} refs/heads/main`));

  expectStatus(await app.post(of(project)), 202);
  assert.equal(await statusOf(project), 'regeneration_in_progress');
  await app.drain();
  await app.deps.jobs.maintain();
  clock.advance(25 * 3_600_000);
  await app.drain();
  assert.equal(await statusOf(project), 'none');
});

test('an archive can be sent elsewhere instead', async () => {
  const project = await app.make.project();
  const { token } = await app.make.user({ admin: true });
  const upload = { url: `${elsewhere.url}/archive`, http_method: 'PUT' };
  expectStatus(await app.post(of(project), { token, json: { upload } }), 202);
  await app.drain();
  assert.equal(received.length, 1);
  assert.equal(received[0]!.method, 'PUT');
  assert.ok(received[0]!.bytes > 100);
  assert.equal(await statusOf(project), 'none');
  for (const url of ['file:///etc/passwd', 'http://x:1/', 'nothing']) {
    assert.match(
      message(await app.post(of(project), { token, json: { upload: { url } } }), 400),
      /upload\[url\] is blocked/,
    );
  }
});

test('what was asked for while an export waits is all done: sent as often, and kept', async () => {
  const project = await app.make.project();
  const { token } = await app.make.user({ admin: true });
  const before = received.length;
  const upload = { url: `${elsewhere.url}/archive` };
  for (let count = 0; count < 2; count += 1) {
    expectStatus(await app.post(of(project), { token, json: { upload } }), 202);
    clock.advance(1_000);
  }
  expectStatus(await app.post(of(project), { token }), 202);
  await app.drain();
  assert.equal(received.length - before, 2);
  assert.equal(await statusOf(project), 'finished');
});

test('an archive goes to the address that was named alone, which nobody is told', async () => {
  const project = await app.make.project();
  const { token } = await app.make.user({ admin: true });
  const before = received.length;
  const send = async (path: string) => {
    const upload = { url: `${elsewhere.url}${path}` };
    return app.post(of(project), { token, json: { upload } });
  };
  expectStatus(await send('/moved?key=very-secret'), 202);
  const jobs = await app.deps.db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', 'project_exports.run')
    .execute();
  assert.equal(jobs.length, 1);
  await app.drain();
  assert.ok(elsewhere.asked.includes('/moved?key=very-secret'));
  const rows = await app.deps.db.selectFrom('relation_exports').selectAll().execute();
  assert.ok(!JSON.stringify([jobs, rows, app.logLines]).includes('very-secret'));
  assert.ok(rows.some(({ error }) => error === 'The upload server answered with status 307.'));
  // What may be reached is looked at once more when it is sent.
  expectStatus(await send('/archive'), 202);
  await changeSettings(app, { allow_local_requests_from_web_hooks_and_services: false });
  try {
    await app.drain();
    assert.equal(received.length, before);
    for (const url of ['http://127.0.0.1:8080/', 'http://[::ffff:7f00:1]:8080/', 'http://169.254.169.254/latest']) {
      const refused = await app.post(of(project), { token, json: { upload: { url } } });
      assert.match(message(refused, 400), /^upload\[url\] is blocked: Requests to/, url);
    }
  } finally {
    await resetSettings(app);
  }
});

test('exports are for maintainers, so many a minute, where administrators let them', async () => {
  const project = await app.make.project();
  const { developer, maintainer, stranger } = await app.make.members(project);
  const ask = async (token: string | null) => (await app.post(of(project), { token })).statusCode;
  assert.deepEqual([await ask(null), await ask(stranger.token), await ask(developer.token)], [401, 404, 403]);
  const all: number[] = [];
  for (let n = 0; n < 7; n += 1) all.push(await ask(maintainer.token));
  assert.deepEqual(all, [202, 202, 202, 202, 202, 202, 429]);
  await app.drain();
  const load = async () => (await app.get(of(project, '/download'), { token: maintainer.token })).statusCode;
  assert.deepEqual([await load(), await load()], [200, 429]);
  expectStatus(await app.put('/application/settings', { json: { project_export_enabled: false } }), 200);
  expectStatus(await app.post(of(project)), 403);
  expectStatus(await app.get(of(project, '/download')), 403);
});
