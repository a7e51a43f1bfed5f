import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { buildTestApp, type TestApp } from '../../../../test/support/app.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'public' });
});
after(() => app.close());

async function makeJob(columns: { debug_trace?: 1; kind?: 'bridge' } = {}) {
  const { jobs } = await makePipeline(app, project, { jobs: [{ name: 'test', status: 'running', columns }] });
  return jobs.test!.id;
}

async function append(jobId: number, start: number, text: Buffer): Promise<void> {
  const piece = { job_id: jobId, start, size: text.length, data: text.toString('base64') };
  await app.deps.db.insertInto('ci_job_traces').values(piece).execute();
}

async function archive(jobId: number, text: Buffer): Promise<void> {
  const { sha256, size } = await app.deps.blobs.put(Readable.from([text]), { maxBytes: 1e9 });
  await app.deps.db
    .insertInto('ci_job_artifacts')
    .values({
      ...{ job_id: jobId, project_id: project.id, sha256, size, expire_at: null, filename: 'job.log' },
      file_type: 'trace',
      file_format: 'raw',
      accessibility: 'all',
      created_at: new Date().toISOString(),
    })
    .execute();
}

const trace = (jobId: number, token?: string | null, of = project) =>
  app.get(`/projects/${of.id}/jobs/${jobId}/trace`, token === undefined ? {} : { token });

test('gives what the runner has sent so far, piece by piece', async () => {
  const id = await makeJob();
  const empty = await trace(id);
  assert.deepEqual([empty.statusCode, empty.body], [200, '']);
  assert.equal(empty.headers['content-disposition'], `infile; filename="${id}.log"`);
  assert.match(String(empty.headers['content-type']), /^text\/plain/);
  assert.match(String(empty.headers['cache-control']), /private/);
  let at = 0;
  const all: Buffer[] = [];
  for (let index = 0; index < 40; index += 1) {
    const piece = Buffer.alloc(index % 3 === 0 ? 40_000 : 7, index + 65);
    await append(id, at, piece);
    at += piece.length;
    all.push(piece);
  }
  const response = await trace(id);
  assert.equal(response.statusCode, 200);
  assert.ok(response.rawPayload.equals(Buffer.concat(all)));
});

test('gives the archived log of a job that is over, whatever bytes it has', async () => {
  const id = await makeJob();
  const bytes = Buffer.from([0, 255, 27, 91, 51, 50, 109, 226, 130, 13, 10]);
  await archive(id, bytes);
  const response = await trace(id);
  assert.equal(response.statusCode, 200);
  assert.ok(response.rawPayload.equals(bytes));
  const head = await app.head(`/projects/${project.id}/jobs/${id}/trace`);
  assert.deepEqual([head.statusCode, head.body], [200, '']);
});

test('ends before a gap, and goes on in the archive where pieces went meanwhile', async () => {
  const gap = await makeJob();
  await append(gap, 0, Buffer.from('one'));
  await append(gap, 9, Buffer.from('two'));
  assert.equal((await trace(gap)).body, 'one');

  const id = await makeJob();
  await append(id, 0, Buffer.from('first '));
  await append(id, 6, Buffer.from('second'));
  const { readLog } = await import('../../../pipelines/trace/read-log.ts');
  const stream = await readLog(app.deps, { id });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (chunks.length > 1) continue;
    await archive(id, Buffer.from('first second third'));
    await app.deps.db.deleteFrom('ci_job_traces').where('job_id', '=', id).execute();
  }
  assert.match(Buffer.concat(chunks).toString(), /^first second third$/);
});

test('keeps logs that tell everything to developers', async () => {
  const { guest, reporter, developer, stranger } = await app.make.members(project);
  const id = await makeJob({ debug_trace: 1 });
  assert.equal((await trace(id, null)).statusCode, 401);
  for (const { token } of [stranger, guest, reporter]) assert.equal((await trace(id, token)).statusCode, 403);
  assert.equal((await trace(id, developer.token)).statusCode, 200);
});

test('finds no log under another project, and none of a bridge', async () => {
  const other = await app.make.project();
  assert.equal((await trace(await makeJob(), undefined, other)).statusCode, 404);
  assert.equal((await trace(await makeJob({ kind: 'bridge' }))).statusCode, 404);
  assert.equal((await trace(123456789)).statusCode, 404);
});
