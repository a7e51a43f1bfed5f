import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { zipOf } from '../../../../test/support/zip.ts';
import type { Artifacts } from '../../../ci/pipeline-config.ts';
import type { CiJobArtifact } from '../../../db/tables/ci-job-artifacts.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
let held: HeldJob;
let zip: Buffer;
before(async () => {
  app = await buildTestApp({ clock });
  zip = await zipOf({ 'out/a.txt': 'hello' });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
  held = await holdJob(app, project);
});

const rows = (id = held.job.id): Promise<CiJobArtifact[]> =>
  app.deps.db.selectFrom('ci_job_artifacts').selectAll().where('job_id', '=', id).orderBy('id').execute();
const jobRow = () =>
  app.deps.db.selectFrom('ci_jobs').selectAll().where('id', '=', held.job.id).executeTakeFirstOrThrow();
const upload = (bytes = zip, query: Record<string, string> = {}, more: Parameters<typeof uploadArtifact>[4] = {}) =>
  uploadArtifact(app, held, bytes, query, more);
async function refused(response: Awaited<ReturnType<typeof upload>>, status: number): Promise<string> {
  return expectStatus<{ message: string }>(response, status).message;
}
const artifacts = (options: Partial<Artifacts>): Artifacts => ({
  name: null,
  paths: ['out/'],
  exclude: [],
  untracked: false,
  when: 'on_success',
  expireIn: null,
  exposeAs: null,
  access: 'all',
  reports: {},
  coverageReport: null,
  ...options,
});
const setSettings = (table: 'projects' | 'namespaces', id: number, max: number | null) =>
  app.deps.db
    .updateTable(table)
    .set({ settings: JSON.stringify({ max_artifacts_size: max }) })
    .where('id', '=', id)
    .execute();

describe('POST /jobs/:id/artifacts', () => {
  test('keeps the archive of a job for thirty days, by its hash', async () => {
    const response = await upload();
    assert.equal(response.statusCode, 201);
    assert.equal(response.body, '201');
    const [row, ...others] = await rows();
    assert.deepEqual(others, []);
    const { id, sha256, ...rest } = row!;
    assert.ok(id > 0);
    assert.deepEqual(rest, {
      job_id: held.job.id,
      project_id: project.id,
      file_type: 'archive',
      file_format: 'zip',
      filename: 'artifacts.zip',
      size: zip.length,
      accessibility: 'all',
      expire_at: '2026-07-15T12:00:00.000Z',
      created_at: '2026-06-15T12:00:00.000Z',
    });
    assert.equal((await app.deps.blobs.stat(sha256))?.size, zip.length);
    assert.equal((await jobRow()).artifacts_expire_at, '2026-07-15T12:00:00.000Z');
    const job = expectStatus<{ artifacts_file: unknown }>(
      await app.get(`/projects/${project.id}/jobs/${held.job.id}`),
      200,
    );
    assert.deepEqual(job.artifacts_file, { filename: 'artifacts.zip', size: zip.length });
  });

  test('takes the time from the parameter, else from the job; never is never', async () => {
    expectStatus(await upload(zip, { expire_in: '2 days' }), 201);
    assert.equal((await rows())[0]!.expire_at, '2026-06-17T12:00:00.000Z');
    for (const expire_in of ['never', '0']) {
      held = await holdJob(app, project);
      expectStatus(await upload(zip, { expire_in }), 201);
      assert.equal((await rows())[0]!.expire_at, null);
      assert.equal((await jobRow()).artifacts_expire_at, null);
    }
    held = await holdJob(app, project, { options: { artifacts: artifacts({ expireIn: '1 week' }) } });
    expectStatus(await upload(zip, { expire_in: '' }), 201);
    assert.equal((await rows())[0]!.expire_at, '2026-06-22T12:00:00.000Z');
    held = await holdJob(app, project);
    assert.equal(await refused(await upload(zip, { expire_in: 'soon' }), 400), 'expire_in is invalid');
    expectStatus(await upload(zip, { expire_in: '100000000 years' }), 201);
    assert.equal((await rows())[0]!.expire_at, null);
  });

  test('takes who may read it from the parameter, else from the job', async () => {
    const accessibilityOf = async (query: Record<string, string>, access?: Artifacts['access']) => {
      held = await holdJob(app, project, access === undefined ? {} : { options: { artifacts: artifacts({ access }) } });
      expectStatus(await upload(zip, query), 201);
      return (await rows())[0]!.accessibility;
    };
    assert.equal(await accessibilityOf({}), 'all');
    assert.equal(await accessibilityOf({}, 'maintainer'), 'maintainer');
    assert.equal(await accessibilityOf({}, 'none'), 'none');
    assert.equal(await accessibilityOf({ accessibility: 'private' }), 'developer');
    assert.equal(await accessibilityOf({ accessibility: 'public' }, 'developer'), 'all');
    assert.match(await refused(await upload(zip, { accessibility: 'secret' }), 400), /accessibility does not have/);
  });

  test('takes parameters from fields beside the file, and passes other files over', async () => {
    const fields = { artifact_type: 'junit', artifact_format: 'gzip', expire_in: '1 day' };
    expectStatus(await upload(gzipSync('<testsuites/>'), {}, { name: 'junit.xml.gz', fields }), 201);
    const [row] = await rows();
    assert.deepEqual(
      [row!.file_type, row!.file_format, row!.filename, row!.expire_at],
      ['junit', 'gzip', 'junit.xml.gz', '2026-06-16T12:00:00.000Z'],
    );
    const boundary = 'x';
    const part = (name: string, file: string, content: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\n\r\n${content}\r\n`;
    const response = await app.post(`/jobs/${held.job.id}/artifacts`, {
      token: null,
      headers: { 'job-token': held.token, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${part('metadata', 'metadata.gz', 'anything')}${part('file', 'a.zip', 'the archive')}--${boundary}--\r\n`,
    });
    expectStatus(response, 201);
    const archive = (await rows()).find(({ file_type }) => file_type === 'archive')!;
    assert.equal(await text((await app.deps.blobs.get(archive.sha256))!), 'the archive');
  });

  test('the same file again is taken, another of the kind is not', async () => {
    expectStatus(await upload(zip, { expire_in: '1 day' }), 201);
    expectStatus(await upload(zip, { expire_in: '9 days' }), 201);
    assert.equal((await jobRow()).artifacts_expire_at, (await rows())[0]!.expire_at);
    const other = await zipOf({ b: 'other' });
    assert.equal(await refused(await upload(other), 400), 'another artifact of the same type already exists');
    assert.equal((await rows()).length, 1);
    clock.advance(3_700_000);
    await app.drain();
    assert.equal((await app.deps.blobs.stat((await rows())[0]!.sha256))?.size, zip.length);
  });

  test('every kind has its format', async () => {
    const text = 'Invalid file format with specified file type';
    assert.equal(await refused(await upload(zip, { artifact_format: 'gzip' }), 400), text);
    assert.equal(await refused(await upload(zip, { artifact_type: 'junit' }), 400), text);
    assert.equal(await refused(await upload(zip, { artifact_type: 'sast', artifact_format: 'gzip' }), 400), text);
    expectStatus(await upload(Buffer.from('{}'), { artifact_type: 'sast', artifact_format: 'raw' }), 201);
    for (const artifact_type of ['trace', 'metadata', 'other']) {
      assert.equal(
        await refused(await upload(zip, { artifact_type, artifact_format: 'raw' }), 400),
        'artifact_type does not have a valid value',
      );
    }
    assert.match(await refused(await upload(zip, { artifact_format: 'rar' }), 400), /artifact_format does not have/);
  });

  test('a file is needed, in a multipart body', async () => {
    const post = (body: string | Buffer, type: string) =>
      app.post(`/jobs/${held.job.id}/artifacts`, {
        token: null,
        headers: { 'job-token': held.token, 'content-type': type },
        body,
      });
    assert.equal(await refused(await post('{"file": "x"}', 'application/json'), 400), 'file is missing');
    assert.equal(await refused(await post(zip, 'application/zip'), 400), 'file is missing');
    const field = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n';
    assert.equal(await refused(await post(field, 'multipart/form-data; boundary=x'), 400), 'file is missing');
    const cut = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntext';
    assert.match(await refused(await post(cut, 'multipart/form-data; boundary=x'), 400), /multipart body is malformed/);
    assert.match(await refused(await post(cut, 'multipart/form-data'), 400), /no boundary/);
    assert.deepEqual(await rows(), []);
  });

  test('names lose what is dangerous in them', async () => {
    const named = async (name: string) => {
      held = await holdJob(app, project);
      expectStatus(await upload(zip, {}, { name }), 201);
      return (await rows())[0]!.filename;
    };
    assert.equal(await named('../../etc/passwd.zip'), 'passwd.zip');
    assert.equal(await named('..'), 'artifacts.zip');
    assert.equal(await named(''), 'artifacts.zip');
    assert.equal((await named('ü'.repeat(300))).length, 255);
  });

  test('what is too large is refused, before it is read where it says so', async () => {
    const text = 'file size has reached maximum size limit';
    await setSettings('projects', project.id, 1);
    const megabyte = Buffer.alloc(1024 * 1024);
    expectStatus(await upload(megabyte), 201);
    held = await holdJob(app, project);
    assert.equal(await refused(await upload(Buffer.alloc(megabyte.length + 1)), 413), text);
    assert.equal(await refused(await upload(Buffer.alloc(2 * megabyte.length)), 413), text);
    assert.deepEqual(await rows(), []);
  });

  test('the nearest group says how large, and kinds of their own how large they are', async () => {
    const top = await app.make.group();
    const sub = await app.make.group({ parent: top });
    project = await app.make.project({ namespace: sub });
    const asked = async (filesize: number, artifact_type = 'archive') => {
      held = await holdJob(app, project);
      return app.post(`/jobs/${held.job.id}/artifacts/authorize`, {
        token: null,
        headers: { 'job-token': held.token },
        json: { filesize, artifact_type },
      });
    };
    const max = async (type?: string) =>
      expectStatus<{ MaximumSize: number }>(await asked(0, type), 200).MaximumSize / 2 ** 20;
    assert.equal(await max(), 100);
    await setSettings('namespaces', top.id, 7);
    assert.equal(await max(), 7);
    await setSettings('namespaces', sub.id, 8);
    assert.equal(await max(), 8);
    await setSettings('projects', project.id, 9);
    assert.equal(await max(), 9);
    assert.equal(await max('terraform'), 5);
    assert.equal(await max('cyclonedx'), 1);
    assert.equal(await max('lsif'), 9);
    expectStatus(await asked(9 * 2 ** 20), 200);
    assert.equal(await refused(await asked(9 * 2 ** 20 + 1), 413), 'file size has reached maximum size limit');
    const plan = Buffer.alloc(6 * 2 ** 20);
    assert.equal(
      await refused(await upload(plan, {}, { fields: { artifact_type: 'terraform', artifact_format: 'raw' } }), 413),
      'file size has reached maximum size limit',
    );
    assert.deepEqual(await rows(), []);
  });

  test('nobody but the job itself, and only while it runs', async () => {
    const other = await holdJob(app, project);
    const plain = '403 Forbidden';
    const id = held.job.id;
    const post = async (token: string) => refused(await uploadArtifact(app, { job: held.job, token }, zip), 403);
    assert.equal(await post(''), plain);
    assert.equal(await post('glcbt-wrong'), plain);
    assert.equal(await post(other.token), plain);
    const asRoot = await app.post(`/jobs/${id}/artifacts`, { json: {} });
    assert.equal(await refused(asRoot, 403), plain);
    const unknown = await app.post('/jobs/987654/artifacts', { token: null, headers: { 'job-token': held.token } });
    assert.equal(await refused(unknown, 403), plain);
    const strange = await app.post('/jobs/x/artifacts', { token: null, headers: { 'job-token': held.token } });
    assert.equal(await refused(strange, 403), plain);
    await app.deps.db.updateTable('ci_jobs').set({ status: 'canceled' }).where('id', '=', id).execute();
    const response = await upload();
    assert.equal(await refused(response, 403), '403 Forbidden - Job is not processing on runner');
    assert.equal(response.headers['job-status'], 'canceled');
    await app.deps.db.updateTable('ci_jobs').set({ status: 'canceling' }).where('id', '=', id).execute();
    expectStatus(await upload(), 201);
  });

  test('a job that has had more than its time ends when its runner sends a file', async () => {
    const started_at = new Date(clock.now().getTime() - 2 * 3_600_000).toISOString();
    await app.deps.db.updateTable('ci_jobs').set({ started_at }).where('id', '=', held.job.id).execute();
    assert.equal(await refused(await upload(), 403), '403 Forbidden - Job token has expired');
    const { status, failure_reason } = await jobRow();
    assert.deepEqual([status, failure_reason], ['failed', 'job_token_expired']);
    assert.deepEqual(await rows(), []);
  });

  test('the runner of a job whose user was blocked meanwhile brings its file', async () => {
    const { user } = await app.make.user({ columns: { state: 'blocked' } });
    await app.deps.db.updateTable('ci_jobs').set({ user_id: user.id }).where('id', '=', held.job.id).execute();
    expectStatus(await upload(), 201);
  });

  test('a token in the query does, too', async () => {
    const { job, token } = held;
    expectStatus(await uploadArtifact(app, { job, token: '' }, zip, { token }), 201);
  });

  test('a job that ends while its file comes keeps nothing of it', async () => {
    const url = new URL(await app.listen());
    const socket = connect(Number(url.port), url.hostname);
    const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nsome bytes';
    socket.write(
      `POST /api/v4/jobs/${held.job.id}/artifacts HTTP/1.1\r\nHost: x\r\nJOB-TOKEN: ${held.token}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n${head.length.toString(16)}\r\n${head}\r\n`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    await app.deps.db.updateTable('ci_jobs').set({ status: 'failed' }).where('id', '=', held.job.id).execute();
    const tail = '\r\n--x--\r\n';
    socket.write(`${tail.length.toString(16)}\r\n${tail}\r\n0\r\n\r\n`);
    const response = await text(socket);
    assert.match(response, /^HTTP\/1\.1 403 /);
    assert.match(response, /job-status: failed/i);
    assert.deepEqual(await rows(), []);
  });

  test('a body that never ends is cut off at the limit', async () => {
    await setSettings('projects', project.id, 1);
    const url = new URL(await app.listen());
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => {});
    // Only its first bytes: if the connection stayed open, the rest of the body would follow.
    const response = once(socket, 'data', { signal: AbortSignal.timeout(60_000) }).then(([data]) => String(data));
    const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n';
    socket.write(
      `POST /api/v4/jobs/${held.job.id}/artifacts HTTP/1.1\r\nHost: x\r\nJOB-TOKEN: ${held.token}\r\nTransfer-Encoding: chunked\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n${head.length.toString(16)}\r\n${head}\r\n`,
    );
    const chunk = Buffer.alloc(65_536, 'y');
    // Slightly more than the limit: data sent to a closed connection would discard the response.
    for (let sent = 0; sent <= 1_150_000; sent += chunk.length) {
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      socket.write('\r\n');
    }
    assert.match(await response, /^HTTP\/1\.1 413 /);
    socket.destroy();
    assert.deepEqual(await rows(), []);
  });
});

describe('reports of variables', () => {
  const dotenv = (content: string | Buffer) =>
    upload(gzipSync(content), { artifact_type: 'dotenv', artifact_format: 'gzip' }, { name: '.env.gz' });
  const variables = async () => {
    const variableRows = await app.deps.db
      .selectFrom('ci_job_variables')
      .select(['key', 'value', 'source'])
      .where('job_id', '=', held.job.id)
      .orderBy('key')
      .execute();
    return variableRows.map((row) => openedVariable(app.deps, 'ci_job_variables', row));
  };

  test('are variables for later jobs', async () => {
    expectStatus(await dotenv('VERSION=1.2.3\nURL = "https://x" \n'), 201);
    assert.deepEqual(await variables(), [
      { key: 'URL', value: '"https://x"', source: 'dotenv' },
      { key: 'VERSION', value: '1.2.3', source: 'dotenv' },
    ]);
    expectStatus(await dotenv('VERSION=1.2.3\nURL = "https://x" \n'), 201);
    assert.equal((await variables()).length, 2);
    const [row] = await rows();
    assert.deepEqual([row!.file_type, row!.filename], ['dotenv', '.env.gz']);
  });

  test('may be empty', async () => {
    expectStatus(await dotenv(''), 201);
    assert.deepEqual(await variables(), []);
  });

  test('that are none, or too large, are refused whole', async () => {
    const limit = 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120';
    assert.equal(await refused(await dotenv('A=1\nnonsense'), 400), 'Invalid Format');
    assert.equal(await refused(await dotenv(`A=${'x'.repeat(5_119)}`), 400), limit);
    assert.equal(await refused(await dotenv(Buffer.alloc(50_000_000, 'x')), 400), limit);
    const many = Array.from({ length: 21 }, (_, n) => `K${n}=1`).join('\n');
    assert.equal(await refused(await dotenv(many), 400), 'Dotenv files cannot have more than 20 variables');
    const raw = await upload(Buffer.from('A=1'), { artifact_type: 'dotenv', artifact_format: 'gzip' });
    assert.equal(await refused(raw, 400), 'Invalid Format');
    assert.deepEqual([await rows(), await variables()], [[], []]);
    expectStatus(await dotenv(`A=${'x'.repeat(5_118)}`), 201);
  });
});

describe('GET /jobs/:id/artifacts', () => {
  let asking: HeldJob;
  beforeEach(async () => {
    expectStatus(await upload(), 201);
    asking = await holdJob(app, project);
  });
  const download = (token: string, id = held.job.id, headers: Record<string, string> = {}) =>
    app.get(`/jobs/${id}/artifacts`, {
      token: null,
      query: { direct_download: 'true' },
      headers: { ...(token === '' ? {} : { 'job-token': token }), ...headers },
    });
  const setAccess = (accessibility: CiJobArtifact['accessibility'], id = held.job.id) =>
    app.deps.db.updateTable('ci_job_artifacts').set({ accessibility }).where('job_id', '=', id).execute();

  test('gives the archive to a job of the project', async () => {
    const response = await download(asking.token);
    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.rawPayload, zip);
    assert.equal(response.headers['content-type'], 'application/octet-stream');
    assert.equal(response.headers['content-length'], String(zip.length));
    assert.equal(
      response.headers['content-disposition'],
      `attachment; filename="artifacts.zip"; filename*=UTF-8''artifacts.zip`,
    );
    assert.equal(response.headers['content-transfer-encoding'], 'binary');
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    assert.equal(
      (await app.get(`/jobs/${held.job.id}/artifacts`, { token: null, query: { token: asking.token } })).statusCode,
      200,
    );
  });

  test('gives it to nobody else', async () => {
    assert.equal((await download('')).statusCode, 401);
    assert.equal((await download('glcbt-wrong')).statusCode, 401);
    assert.equal((await app.get(`/jobs/${held.job.id}/artifacts`)).statusCode, 401);
    const { token } = asking;
    await app.deps.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', asking.job.id).execute();
    assert.equal((await download(token)).statusCode, 401);
  });

  test('there may be none', async () => {
    assert.equal((await download(held.token, asking.job.id)).statusCode, 404);
    assert.equal((await download(held.token, 987_654)).statusCode, 404);
    const other = await holdJob(app, project);
    const report = { artifact_type: 'sast', artifact_format: 'raw' };
    expectStatus(await uploadArtifact(app, other, Buffer.from('{}'), report), 201);
    assert.equal((await download(held.token, other.job.id)).statusCode, 404);
  });

  test('another project gives it to those whom it lets in, and whose user may see it', async () => {
    const { user } = await app.make.user();
    const far = await app.make.project({ owner: user });
    const stranger = await holdJob(app, far, { columns: { user_id: user.id } });
    assert.equal((await download(stranger.token)).statusCode, 404);
    await app.make.member({ project }, user, 30);
    assert.equal((await download(stranger.token)).statusCode, 404);
    await app.deps.db
      .insertInto('ci_job_token_links')
      .values({ source_project_id: project.id, target_project_id: far.id, created_at: '2026-06-15T12:00:00.000Z' })
      .execute();
    assert.equal((await download(stranger.token)).statusCode, 200);
    await setAccess('maintainer');
    assert.equal((await download(stranger.token)).statusCode, 403);
    await setAccess('none');
    assert.equal((await download(stranger.token)).statusCode, 403);
  });

  test('a job of the same pipeline, or of one below it, gets it whoever may read it else', async () => {
    await setAccess('none');
    assert.equal((await download(asking.token)).statusCode, 403);
    const same = await holdJob(app, project, { into: held.pipeline });
    assert.equal((await download(same.token)).statusCode, 200);
    const child = await holdJob(app, project, { pipeline: { parent_id: held.pipeline.id } });
    const grandchild = await holdJob(app, project, { pipeline: { parent_id: child.pipeline.id } });
    assert.equal((await download(child.token)).statusCode, 200);
    assert.equal((await download(grandchild.token)).statusCode, 200);
  });

  test('parts of it, its length alone, and nothing to whoever has it', async () => {
    const part = await download(asking.token, held.job.id, { range: 'bytes=2-5' });
    assert.equal(part.statusCode, 206);
    assert.deepEqual(part.rawPayload, zip.subarray(2, 6));
    assert.equal(part.headers['content-range'], `bytes 2-5/${zip.length}`);
    const end = await download(asking.token, held.job.id, { range: 'bytes=-3' });
    assert.deepEqual(end.rawPayload, zip.subarray(-3));
    const rest = await download(asking.token, held.job.id, { range: `bytes=${zip.length - 2}-99999999` });
    assert.deepEqual(rest.rawPayload, zip.subarray(-2));
    for (const range of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'bytes=a-b']) {
      assert.equal((await download(asking.token, held.job.id, { range })).statusCode, 200, range);
    }
    const outside = await download(asking.token, held.job.id, { range: `bytes=${zip.length}-` });
    assert.equal(outside.statusCode, 416);
    assert.equal(outside.headers['content-range'], `bytes */${zip.length}`);
    const whole = await download(asking.token);
    const etag = String(whole.headers.etag);
    assert.match(etag, /^"[0-9a-f]{64}"$/);
    assert.equal((await download(asking.token, held.job.id, { 'if-none-match': etag })).statusCode, 304);
    const stale = { range: 'bytes=0-1', 'if-range': '"other"' };
    assert.equal((await download(asking.token, held.job.id, stale)).statusCode, 200);
    const fresh = { range: 'bytes=0-1', 'if-range': etag };
    assert.equal((await download(asking.token, held.job.id, fresh)).statusCode, 206);
    const head = await app.head(`/jobs/${held.job.id}/artifacts`, {
      token: null,
      headers: { 'job-token': asking.token },
    });
    assert.equal(head.statusCode, 200);
    assert.equal(head.headers['content-length'], String(zip.length));
    assert.equal(head.body, '');
  });
});
