import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { storedText } from '../../../core/stored-secret.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';

type Json = Record<string, unknown>;
let guarded: TestApp;
let open: TestApp;
let base: string;
before(async () => {
  guarded = await buildTestApp();
  open = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  base = await open.listen();
});
after(async () => {
  await guarded.close();
  await open.close();
});

async function repositoryOf(app: TestApp, id: unknown) {
  const row = await app.deps.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  return app.deps.storages.open({ storage: row.repository_storage, diskPath: row.disk_path });
}

test('POST /projects with import_url copies the repository and keeps no credentials', async () => {
  const json = { name: 'source', initialize_with_readme: true, default_branch: 'trunk' };
  const source = expectStatus<Json>(await open.post('/projects', { json }), 201);
  const address = `${base.replace('//', `//root:${ROOT_TOKEN}@`)}/root/source.git`;
  const created = expectStatus<Json>(
    await open.post('/projects', { json: { name: 'imported', import_url: address } }),
    201,
  );
  assert.equal(created.import_status, 'scheduled');
  assert.ok(!JSON.stringify(created).includes(ROOT_TOKEN));
  await open.drain();
  const done = expectStatus<Json>(await open.get(`/projects/${created.id}`), 200);
  assert.equal(done.import_status, 'finished', String(done.import_error));
  assert.equal(done.import_url, `${base}/root/source.git`);
  assert.equal(done.import_type, 'git');
  assert.equal(done.default_branch, 'trunk');
  assert.equal(done.empty_repo, false);
  const [from, to] = [await repositoryOf(open, source.id), await repositoryOf(open, created.id)];
  assert.deepEqual(await to.refs.list('refs/'), await from.refs.list('refs/heads/'));
  const stored = await open.deps.db.selectFrom('jobs').select(['payload', 'last_error']).execute();
  assert.ok(!JSON.stringify(stored).includes(ROOT_TOKEN));
  assert.ok(!open.logLines.some((line) => line.includes(ROOT_TOKEN)));
});

test('an import that the other server refuses fails without telling credentials', async () => {
  const json = { name: 'refused', import_url: `${base.replace('//', '//root:wrong-secret@')}/root/source.git` };
  const created = expectStatus<Json>(await open.post('/projects', { json }), 201);
  await open.drain();
  const failed = expectStatus<Json>(await open.get(`/projects/${created.id}`), 200);
  assert.equal(failed.import_status, 'failed');
  assert.match(String(failed.import_error), /refused the credentials/);
  assert.ok(!JSON.stringify(failed).includes('wrong-secret'));
  assert.ok(!open.logLines.some((line) => line.includes('wrong-secret')));
});

test('an import does not follow a redirect', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { location: `${base}/root/source.git/info/refs?service=git-upload-pack` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const json = { name: 'redirected', import_url: `http://127.0.0.1:${port}/x.git` };
    const created = expectStatus<Json>(await open.post('/projects', { json }), 201);
    await open.drain();
    assert.equal(asked.length, 1);
    assert.equal(expectStatus<Json>(await open.get(`/projects/${created.id}`), 200).import_status, 'failed');
  } finally {
    server.close();
  }
});

test('import_url to an internal address or of another kind is refused with 422', async () => {
  const project = await guarded.make.project();
  for (const url of [
    'http://127.0.0.1:8081/x.git',
    'http://[::ffff:7f00:1]/x.git',
    'http://2130706433/x.git',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'git://127.0.0.1:1234/x@example.com/',
    'ext::sh -c id',
    '--upload-pack=id',
    'http://u%0Ahost=evil:p@1.1.1.1/x.git',
  ]) {
    const created = await guarded.post('/projects', { json: { name: 'internal', import_url: url } });
    const errors = expectStatus<Json>(created, 422).errors as Json;
    assert.match(String(errors.import_url), /^is blocked: /, url);
    expectStatus(await guarded.put(`/projects/${project.id}`, { json: { import_url: url } }), 422);
  }
  expectStatus(await guarded.get('/projects/root%2Finternal'), 404);
});

test('what may have been safe when it was stored is looked at again when it is used', async () => {
  const project = await guarded.make.project();
  const { deps } = guarded;
  await deps.db
    .updateTable('projects')
    .set({ import_url: storedText('http://u:secret@127.0.0.1:8081/x.git') })
    .where('id', '=', project.id)
    .execute();
  const disk_path = deps.storages.newDiskPath();
  await deps.jobs.enqueue(deps.db, jobKind('project.import_repository', { lane: 'slow' }), {
    project_id: project.id,
    disk_path,
  });
  await guarded.drain();
  const body = expectStatus<Json>(await guarded.get(`/projects/${project.id}`), 200);
  assert.equal(body.import_error, 'The URL is blocked: Requests to localhost are not allowed');
  assert.equal(body.import_url, 'http://*****:*****@127.0.0.1:8081/x.git');
});

test('POST /projects/:id/housekeeping is for Maintainers', async () => {
  const project = await guarded.make.project();
  const { developer, maintainer } = await guarded.make.members(project);
  expectStatus(await guarded.post(`/projects/${project.id}/housekeeping`, { token: developer.token }), 403);
  expectStatus(await guarded.post(`/projects/${project.id}/housekeeping`, { token: maintainer.token }), 201);
  await guarded.drain();
});
