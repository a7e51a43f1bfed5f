import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditOf } from '../../../../test/support/audit-trail.ts';
import { type FileServer, serveFiles } from '../../../../test/support/file-server.ts';
import { changeSettings, resetSettings } from '../../../../test/support/settings.ts';
import { tarGzOf } from '../../../../test/support/tar.ts';

type Json = Record<string, unknown>;
const KEY = 'signature-of-the-address';
let app: TestApp;
let elsewhere: FileServer;
before(async () => {
  app = await buildTestApp({ settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' } });
  const archive = await tarGzOf([
    ['VERSION', '0.2.4'],
    ['tree/project.json', JSON.stringify({ description: 'From afar' })],
  ]);
  elsewhere = await serveFiles({
    [`/a.tar.gz?key=${KEY}`]: (_request, response) => response.end(archive),
    '/moved': (_request, response) => response.writeHead(302, { location: `/a.tar.gz?key=${KEY}` }).end(),
    '/large': (_request, response) => response.end(Buffer.alloc(3 * 1024 * 1024)),
  });
});
after(async () => {
  await elsewhere.close();
  await app.close();
});

let count = 0;
async function bring(path: string): Promise<Json> {
  count += 1;
  const { token } = await app.make.user({ admin: true });
  const json = { url: `${elsewhere.url}${path}`, path: `far-${count}` };
  const made = expectStatus<Json>(await app.post('/projects/remote-import', { token, json }), 201);
  await app.drain();
  return expectStatus<Json>(await app.get(`/projects/${made.id}/import`), 200);
}

test('an archive that is elsewhere becomes a project', async () => {
  const done = await bring(`/a.tar.gz?key=${KEY}`);
  assert.deepEqual(
    [done.import_status, done.import_type, done.description],
    ['finished', 'gitlab_project', 'From afar'],
  );
});

test('its address is kept sealed, and neither answered nor logged', async () => {
  const { token } = await app.make.user({ admin: true });
  const json = { url: `${elsewhere.url}/a.tar.gz?key=${KEY}`, path: 'sealed' };
  const response = await app.post('/projects/remote-import', { token, json });
  expectStatus(response, 201);
  const jobs = await app.deps.db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', 'project_imports.run')
    .execute();
  assert.equal(jobs.length, 1);
  assert.ok(![response.body, ...jobs.map(({ payload }) => payload), ...app.logLines].join('').includes(KEY));
  await app.drain();
  assert.ok(!app.logLines.join('').includes(KEY));
});

describe('nothing is fetched', () => {
  test('behind a redirect, where there is nothing, or past what administrators allow', async () => {
    const before = elsewhere.asked.length;
    assert.match(String((await bring('/moved')).import_error), /failed with status 302/);
    assert.deepEqual(elsewhere.asked.slice(before), ['/moved']);
    assert.match(String((await bring('/nowhere')).import_error), /failed with status 404/);
    await changeSettings(app, { max_import_remote_file_size: 1 });
    assert.match(String((await bring('/large')).import_error), /maximum is 1 MiB/);
    await resetSettings(app);
  });

  test('from addresses that the server does not connect to, when it is asked or later', async () => {
    const ask = async (url: string) => {
      const { token } = await app.make.user({ admin: true });
      return app.post('/projects/remote-import', { token, json: { url, path: 'guarded' } });
    };
    for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'no address', 'http://u:p@h@evil/']) {
      assert.match(String(expectStatus<Json>(await ask(url), 400).message), /^url is blocked/, url);
    }
    const made = expectStatus<Json>(await ask(`${elsewhere.url}/a.tar.gz?key=${KEY}`), 201);
    await changeSettings(app, { allow_local_requests_from_web_hooks_and_services: false });
    const asked = elsewhere.asked.length;
    await app.drain();
    const failed = expectStatus<Json>(await app.get(`/projects/${made.id}/import`), 200);
    assert.match(String(failed.import_error), /URL of the archive is blocked/);
    assert.equal(elsewhere.asked.length, asked);
    for (const url of ['http://127.0.0.1:8080/x', 'http://[::ffff:127.0.0.1]/x', 'http://169.254.169.254/latest']) {
      assert.match(String(expectStatus<Json>(await ask(url), 400).message), /^url is blocked/, url);
    }
  });
});

test('an archive in a bucket is fetched from an address that is signed now, and the key is not kept', async () => {
  const { token } = await app.make.user({ admin: true });
  const bucket = { region: 'eu-west-1', bucket_name: 'moves', file_key: 'a.tar.gz', access_key_id: 'AKIDEXAMPLE' };
  const json = { ...bucket, secret_access_key: 'very-secret-key', path: 'bucket' };
  const bad = { ...json, bucket_name: 'x@evil.example/' };
  expectStatus(await app.post('/projects/remote-import-s3', { token, json: bad }), 400);
  expectStatus(await app.post('/projects/remote-import-s3', { token, json: { ...json, region: 'a/b' } }), 400);
  let made: Json = {};
  const events = await auditOf(app, async () => {
    made = expectStatus<Json>(await app.post('/projects/remote-import-s3', { token, json }), 201);
  });
  assert.deepEqual(
    events.map(({ event_name }) => event_name),
    ['project_created', 'project_import_created'],
  );
  assert.equal(made.import_status, 'scheduled');
  const rows = await app.deps.db
    .selectFrom('jobs')
    .select('payload')
    .where('kind', '=', 'project_imports.run')
    .execute();
  assert.ok(!JSON.stringify([rows, events, app.logLines]).includes('very-secret-key'));
});
