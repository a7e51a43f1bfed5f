import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../../../test/support/app.ts';
import { npmDigests, npmPublication } from '../../../../test/support/npm-packages.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

let app: TestApp;
let project: Project;
let url: string;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
  url = `${await app.listen()}/api/v4/projects/${project.id}/packages/npm`;
});
after(() => app.close());

const headers = { authorization: `Bearer ${ROOT_TOKEN}`, 'content-type': 'application/json' };
const put = (name: string, more: Record<string, string> = {}) => {
  const sending = request(`${url}/${name}`, { method: 'PUT', headers: { ...headers, ...more } });
  sending.on('error', () => {});
  return sending;
};
const answerOf = async (sending: ReturnType<typeof put>) => {
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
};
/** Files that uploads have not finished. */
const unfinished = async () => {
  const folder = join(app.deps.config.dataDir, 'blobs/tmp');
  return existsSync(folder) ? readdir(folder) : [];
};

describe('the body of a publication', () => {
  test('is taken however it is cut, and whatever stands around its file', async () => {
    const bytes = randomBytes(300_000);
    const { _attachments, ...rest } = npmPublication('cut', '1.0.0', { bytes });
    const more = {
      _attachments: { 'x.sigstore': { data: '{"mediaType":"x"}' }, ..._attachments },
      readme: 'é'.repeat(90_000),
    };
    const body = Buffer.from(JSON.stringify({ ...more, ...rest }, null, 2));
    const sending = put('cut');
    for (let at = 0; at < body.length; at += 9_973) sending.write(body.subarray(at, at + 9_973));
    sending.end();
    assert.equal((await answerOf(sending)).status, 200);
    const file = await app.get(`/projects/${project.id}/packages/npm/cut/-/cut-1.0.0.tgz`);
    assert.deepEqual(npmDigests(file.rawPayload), npmDigests(bytes));
  });

  test('is refused before it comes where it is announced as too long', async () => {
    const sending = put('long', { 'content-length': '800000000' });
    sending.flushHeaders();
    const { status, body } = await answerOf(sending);
    sending.destroy();
    assert.equal(status, 400);
    assert.deepEqual(JSON.parse(body), { message: 'File is too large.', error: 'File is too large.' });
  });

  test('is refused where it is long beside its file', async () => {
    const sending = put('wide');
    sending.end(`{"name":"wide","readme":"${'x'.repeat(9_000_000)}"}`);
    const { status, body } = await answerOf(sending);
    assert.equal(status, 413);
    const { message, error } = JSON.parse(body) as { message: string; error: string };
    assert.deepEqual([message, error], ['413 Request Entity Too Large', 'Request Entity Too Large']);
  });

  test('leaves nothing behind where it breaks off', async () => {
    const whole = JSON.stringify(npmPublication('broken', '1.0.0', { bytes: randomBytes(400_000) }));
    const { server } = app.instance.server.app;
    for (const part of [0.01, 0.3, 0.7, 0.999]) {
      const sending = put('broken', { 'content-length': String(whole.length) });
      sending.write(whole.slice(0, Math.floor(whole.length * part)));
      const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
      await sleep(50);
      sending.destroy();
      if (!response.closed) await once(response, 'close');
    }
    for (let tries = 0; tries < 400 && (await unfinished()).length > 0; tries += 1) await sleep(25);
    assert.deepEqual(await unfinished(), []);
    const rows = await app.deps.db.selectFrom('packages').select('id').where('name', '=', 'broken').execute();
    assert.deepEqual(rows, []);
    const sending = put('broken');
    sending.end(whole);
    assert.equal((await answerOf(sending)).status, 200);
  });
});
