import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const LARGE = randomBytes(30 * 2 ** 20);
let app: TestApp;
let project: Project;
let held: HeldJob;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  held = await holdJob(app, project);
  expectStatus(await uploadArtifact(app, held, await zipOf({ large: LARGE })), 201);
});
after(() => app.close());

async function open(): Promise<Socket> {
  const url = new URL(await app.listen());
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
async function until(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (holds()) return;
    await wait(20);
  }
  assert.fail(what);
}

test('a client that stops reading has little kept for it, and gives it back when it leaves', async () => {
  const free = () => app.deps.streams.held === 0;
  await until(free, 'streams are open before');
  for (const rest of ['', '/large']) {
    const socket = await open();
    const path = `/api/v4/projects/${project.id}/jobs/${held.job.id}/artifacts${rest}`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${ROOT_TOKEN}\r\n\r\n`);
    await once(socket, 'readable');
    await until(() => app.deps.streams.held > 0, 'it takes nothing of what streams may take');
    // Until nothing more comes by itself.
    for (let came = -1; came !== socket.bytesRead; ) {
      came = socket.bytesRead;
      await wait(100);
    }
    // Buffers of the operating system hold a few megabytes; the rest of thirty was not read.
    let buffered = 0;
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) buffered += (chunk as Buffer).length;
    assert.ok(buffered < LARGE.length / 2, `${buffered} bytes came by themselves`);
    socket.destroy();
    await until(free, 'its stream is still open');
  }
});

test('a client that leaves in the middle of its file leaves nothing behind', async () => {
  const other = await holdJob(app, project);
  const folder = join(app.deps.config.dataDir, 'blobs', 'tmp');
  const files = () => (existsSync(folder) ? readdirSync(folder).length : 0);
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
  for (const sent of [head.slice(0, 20), head, `${head}${'y'.repeat(100_000)}`]) {
    const socket = await open();
    socket.write(
      `POST /api/v4/jobs/${other.job.id}/artifacts HTTP/1.1\r\nHost: x\r\nJOB-TOKEN: ${other.token}\r\nTransfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n${sent.length.toString(16)}\r\n${sent}\r\n`,
    );
    if (sent.length > head.length) await until(() => files() === 1, 'the file is not on its way');
    else await wait(100);
    socket.destroy();
    await until(() => files() === 0, 'a part of it is still there');
  }
  const rows = await app.deps.db
    .selectFrom('ci_job_artifacts')
    .select('id')
    .where('job_id', '=', other.job.id)
    .execute();
  assert.deepEqual(rows, []);
  expectStatus(await uploadArtifact(app, other, await zipOf({ a: 'whole' })), 201);
});
