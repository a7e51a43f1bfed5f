import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { makePackage } from '../../test/support/packages.ts';
import { runGit } from '../git/process/index.ts';
import { checkAgreement } from './doctor-agreement.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

async function wrongs(quick = false): Promise<string[]> {
  const problems: string[] = [];
  await checkAgreement(app.deps.config, app.deps.database, quick, (good, text) => {
    if (!good) problems.push(text);
  });
  return problems;
}

test('a ref that was moved behind the back of the server is named, with the merge request that follows it', async () => {
  const json = { name: 'p', initialize_with_readme: true };
  const { id } = expectStatus<{ id: number }>(await app.post('/projects', { json }), 201);
  await commitFiles(app, id, { a: 'a' }, { branch: 'topic', start_branch: 'main' });
  const request = { source_branch: 'topic', target_branch: 'main', title: 't' };
  expectStatus(await app.post(`/projects/${id}/merge_requests`, { json: request }), 201);
  assert.deepEqual(await wrongs(), []);
  const row = await app.deps.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const gitDir = app.deps.storages.dirOf({ storage: row.repository_storage, diskPath: row.disk_path });
  const { stdout } = await runGit(['rev-parse', 'refs/heads/topic'], { gitDir });
  await runGit(['update-ref', 'refs/heads/topic', 'refs/heads/main'], { gitDir });
  assert.deepEqual(await wrongs(), [
    `Database and repositories do not agree: project ${id}: refs/heads/topic differs from its last recorded change.`,
    'Database and repositories do not agree: merge request root/p!1: its head differs from the head of its source branch.',
  ]);
  await runGit(['update-ref', 'refs/heads/topic', stdout.toString().trim()], { gitDir });
  assert.deepEqual(await wrongs(), []);
});

test('a file that is missing, cut or damaged is named', async () => {
  const bytes = Buffer.from('an upload');
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'a.txt');
  const body = new Response(form);
  const headers = { 'content-type': body.headers.get('content-type')! };
  const { id } = expectStatus<{ id: number }>(await app.post('/projects', { json: { name: 'q' } }), 201);
  const upload = await app.post(`/projects/${id}/uploads`, { body: Buffer.from(await body.arrayBuffer()), headers });
  expectStatus(upload, 201);
  assert.deepEqual(await wrongs(), []);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = join(app.deps.config.dataDir, 'blobs', sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  await writeFile(path, 'an uplaod');
  assert.match((await wrongs())[0]!, /^A file is damaged or missing: upload \d+ is damaged\.$/);
  assert.deepEqual(await wrongs(true), []);
  await writeFile(path, 'an');
  assert.match((await wrongs(true))[0]!, /^A file is damaged or missing: upload \d+ has 2 bytes instead of 9\.$/);
  await rm(path);
  assert.match((await wrongs())[0]!, /^A file is damaged or missing: upload \d+ is missing\.$/);
  await app.deps.db.deleteFrom('uploads').execute();
});

test('a file of a package is looked at, too', async () => {
  const { id } = await app.make.project();
  const made = await makePackage(app.deps, id, { files: { 'app.txt': 'the app' } });
  assert.deepEqual(await wrongs(), []);
  const [file] = await app.deps.db.selectFrom('package_files').selectAll().execute();
  await app.deps.blobs.delete(file!.sha256);
  assert.deepEqual(await wrongs(), [
    `A file is damaged or missing: file ${file!.id} of package ${made.id} is missing.`,
  ]);
});
