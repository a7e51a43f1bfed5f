import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import {
  buildTestApp,
  expectStatus,
  type RequestOptions,
  type TestApp,
  TestClock,
} from '../../../../test/support/app.ts';
import { endJob, type HeldJob, holdJob, uploadArtifact } from '../../../../test/support/artifacts.ts';
import { rawZip, zipOf } from '../../../../test/support/zip.ts';
import type { CiJobArtifact } from '../../../db/tables/ci-job-artifacts.table.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

const clock = new TestClock();
let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp({ clock });
});
after(() => app.close());
beforeEach(async () => {
  project = await app.make.project();
});

const FILES = { 'out/': '', 'out/a.txt': 'hello', 'out/sub/page.html': '<b>', 'top.bin': Buffer.from([0, 1, 255]) };

type Made = HeldJob & { zip: Buffer };
/** A finished job with an archive. */
async function finished(
  options: Parameters<typeof holdJob>[2] = {},
  files: Parameters<typeof zipOf>[0] | Buffer = FILES,
): Promise<Made> {
  const held = await holdJob(app, project, options);
  const zip = Buffer.isBuffer(files) ? files : await zipOf(files);
  expectStatus(await uploadArtifact(app, held, zip), 201);
  await endJob(app, held);
  return { ...held, zip };
}
const ofJob = ({ job }: HeldJob, rest = '', options?: RequestOptions) =>
  app.get(`/projects/${project.id}/jobs/${job.id}/artifacts${rest}`, options);
const ofRef = (ref: string, rest: string, query: Record<string, string> = { job: 'build' }, options?: RequestOptions) =>
  app.get(`/projects/${project.id}/jobs/artifacts/${ref}/${rest}`, { query, ...options });
const setAccess = (accessibility: CiJobArtifact['accessibility'], { job }: HeldJob) =>
  app.deps.db.updateTable('ci_job_artifacts').set({ accessibility }).where('job_id', '=', job.id).execute();
const message = (response: Awaited<ReturnType<typeof ofJob>>, status: number) =>
  expectStatus<{ message: string }>(response, status).message;

describe('GET /projects/:id/jobs/:job_id/artifacts', () => {
  test('gives the archive to be saved', async () => {
    const made = await finished();
    const response = await ofJob(made);
    assert.equal(response.statusCode, 200);
    assert.deepEqual(response.rawPayload, made.zip);
    assert.equal(response.headers['content-type'], 'application/zip');
    assert.equal(
      response.headers['content-disposition'],
      `attachment; filename="artifacts.zip"; filename*=UTF-8''artifacts.zip`,
    );
    assert.equal(response.headers['content-transfer-encoding'], 'binary');
    assert.equal((await ofJob(made, '', { headers: { range: 'bytes=0-3' } })).statusCode, 206);
    assert.equal(
      (await ofJob(made, '', { headers: { 'if-none-match': String(response.headers.etag) } })).statusCode,
      304,
    );
    const head = await app.head(`/projects/${project.id}/jobs/${made.job.id}/artifacts`);
    assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, String(made.zip.length), '']);
  });

  test('a name cannot break out of its header', async () => {
    const held = await holdJob(app, project);
    expectStatus(await uploadArtifact(app, held, await zipOf({}), {}, { name: "a;b ü' c.zip" }), 201);
    const disposition = String((await ofJob(held)).headers['content-disposition']);
    assert.equal(disposition, `attachment; filename="a;b _' c.zip"; filename*=UTF-8''a%3Bb%20%C3%BC%27%20c.zip`);
  });

  test('is not found where there is none, or a report alone', async () => {
    const none = await holdJob(app, project);
    assert.equal(message(await ofJob(none), 404), '404 Not Found');
    const report = { artifact_type: 'sast', artifact_format: 'raw' };
    expectStatus(await uploadArtifact(app, none, Buffer.from('{}'), report), 201);
    assert.equal(message(await ofJob(none), 404), '404 Not Found');
    assert.equal(message(await ofJob(none, '/gl-sast-report.json'), 404), '404 Artifacts Not Found');
    assert.equal(message(await app.get(`/projects/${project.id}/jobs/987654/artifacts`), 404), '404 Not found');
  });

  test('a job of another project is not found', async () => {
    const made = await finished();
    const other = await app.make.project();
    for (const rest of ['', '/tree', '/top.bin']) {
      assert.equal((await app.get(`/projects/${other.id}/jobs/${made.job.id}/artifacts${rest}`)).statusCode, 404);
    }
  });

  test('is gone after its time, unless its pipeline is the last good one', async () => {
    const made = await finished();
    clock.advance(31 * 86_400_000);
    for (const rest of ['', '/tree', '/top.bin']) assert.equal((await ofJob(made, rest)).statusCode, 404, rest);
    await app.deps.db.updateTable('pipelines').set({ locked: 1 }).where('id', '=', made.pipeline.id).execute();
    for (const rest of ['', '/tree', '/top.bin']) assert.equal((await ofJob(made, rest)).statusCode, 200, rest);
  });

  test('its bytes may be gone', async () => {
    const made = await finished({}, { x: String(Math.random()) });
    const { sha256 } = await app.deps.db
      .selectFrom('ci_job_artifacts')
      .select('sha256')
      .where('job_id', '=', made.job.id)
      .executeTakeFirstOrThrow();
    await app.deps.blobs.delete(sha256);
    for (const rest of ['', '/tree', '/x']) assert.equal((await ofJob(made, rest)).statusCode, 404, rest);
  });
});

describe('who may read', () => {
  const PATHS = ['', '/tree', '/top.bin'];

  test('by role: members of a private project', async () => {
    const made = await finished();
    const members = await app.make.members(project);
    const statuses = async () => {
      const statusByRole: Record<string, number> = {};
      for (const [name, { token }] of Object.entries(members)) {
        const of = await Promise.all(PATHS.map((rest) => ofJob(made, rest, { token })));
        const refs = await Promise.all([
          ofRef('main', 'download', { job: 'build' }, { token }),
          ofRef('main', 'raw/top.bin', { job: 'build' }, { token }),
        ]);
        const all = new Set([...of, ...refs].map(({ statusCode }) => statusCode));
        assert.equal(all.size, 1, `${name} ${[...all]}`);
        statusByRole[name] = [...all][0]!;
      }
      return statusByRole;
    };
    const all = { guest: 200, planner: 200, reporter: 200, developer: 200, maintainer: 200, owner: 200, stranger: 404 };
    assert.deepEqual(await statuses(), all);
    await setAccess('developer', made);
    assert.deepEqual(await statuses(), { ...all, guest: 403, planner: 403, reporter: 403 });
    await setAccess('maintainer', made);
    assert.deepEqual(await statuses(), { ...all, guest: 403, planner: 403, reporter: 403, developer: 403 });
    await setAccess('none', made);
    const none = Object.fromEntries(Object.keys(all).map((name) => [name, name === 'stranger' ? 404 : 403]));
    assert.deepEqual(await statuses(), none);
    assert.equal((await ofJob(made)).statusCode, 403);
  });

  test('everybody, in a public project with public jobs', async () => {
    project = await app.make.project({ visibility: 'public' });
    const made = await finished();
    const { token } = await app.make.user();
    const set = (settings: Record<string, unknown>) =>
      app.deps.db
        .updateTable('projects')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', project.id)
        .execute();
    for (const rest of PATHS) {
      assert.equal((await ofJob(made, rest, { token: null })).statusCode, 200, rest);
      assert.equal((await ofJob(made, rest, { token })).statusCode, 200, rest);
    }
    await setAccess('developer', made);
    for (const rest of PATHS) {
      assert.equal((await ofJob(made, rest, { token: null })).statusCode, 403, rest);
      assert.equal((await ofJob(made, rest, { token })).statusCode, 403, rest);
    }
    await setAccess('all', made);
    await set({ public_jobs: false });
    for (const rest of PATHS) {
      assert.ok([401, 403, 404].includes((await ofJob(made, rest, { token: null })).statusCode), rest);
      assert.ok([403, 404].includes((await ofJob(made, rest, { token })).statusCode), rest);
    }
    assert.ok([401, 404].includes((await ofRef('main', 'download', { job: 'build' }, { token: null })).statusCode));
  });

  test('jobs by their token, in the header and as a parameter', async () => {
    const made = await finished();
    const asking = await holdJob(app, project);
    for (const rest of PATHS) {
      assert.equal((await ofJob(made, rest, { token: null, headers: { 'job-token': asking.token } })).statusCode, 200);
      assert.equal((await ofJob(made, rest, { token: null, query: { job_token: asking.token } })).statusCode, 200);
      assert.equal((await ofJob(made, rest, { token: null, query: { job_token: 'glcbt-x' } })).statusCode, 401);
    }
    const query = { job: 'build', job_token: asking.token };
    assert.equal((await ofRef('main', 'download', query, { token: null })).statusCode, 200);
    assert.equal((await ofRef('main', 'raw/top.bin', query, { token: null })).statusCode, 200);
    const far = await holdJob(app, await app.make.project());
    assert.equal((await ofJob(made, '', { token: null, query: { job_token: far.token } })).statusCode, 404);
  });

  test('jobs of other projects from Premium on, those of the project on every plan', async (t) => {
    const made = await finished();
    const own = await holdJob(app, project);
    const elsewhere = await app.make.project();
    const far = await holdJob(app, elsewhere);
    expectStatus(
      await app.post(`/projects/${project.id}/job_token_scope/allowlist`, {
        json: { target_project_id: elsewhere.id },
      }),
      201,
    );
    t.after(() => {
      app.deps.config.plan = 'ultimate';
    });
    const by = (job_token: string) => ofJob(made, '', { token: null, query: { job_token } });
    for (const [plan, expected] of [
      ['free', [200, 403]],
      ['premium', [200, 200]],
    ] as const) {
      app.deps.config.plan = plan;
      assert.deepEqual([(await by(own.token)).statusCode, (await by(far.token)).statusCode], expected, plan);
    }
  });
});

describe('GET /projects/:id/jobs/:job_id/artifacts/*artifact_path', () => {
  test('gives one file, unpacked', async () => {
    const made = await finished();
    const response = await ofJob(made, '/out/a.txt');
    assert.equal(response.statusCode, 200);
    assert.equal(response.body, 'hello');
    assert.equal(response.headers['content-length'], '5');
    assert.equal(response.headers['content-type'], 'application/octet-stream');
    assert.equal(response.headers['x-content-type-options'], 'nosniff');
    assert.match(String(response.headers['content-security-policy']), /sandbox/);
    assert.equal(response.headers['content-disposition'], `attachment; filename="a.txt"; filename*=UTF-8''a.txt`);
    assert.deepEqual((await ofJob(made, '/top.bin')).rawPayload, FILES['top.bin']);
    assert.equal((await ofJob(made, '/out%2Fsub%2Fpage.html')).body, '<b>');
    const etag = String(response.headers.etag);
    assert.equal((await ofJob(made, '/out/a.txt', { headers: { 'if-none-match': etag } })).statusCode, 304);
    assert.equal((await ofJob(made, '/top.bin', { headers: { 'if-none-match': etag } })).statusCode, 200);
    const head = await app.head(`/projects/${project.id}/jobs/${made.job.id}/artifacts/out/a.txt`);
    assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, '5', '']);
  });

  test('refuses what leads out, and does not find what is not there', async () => {
    const made = await finished();
    const outside = ['/..%2f..%2fmetadata', '/out/..%2f..%2fx', '/%2Fetc%2Fpasswd', '/out%5C..%5Cx'];
    for (const path of outside) assert.equal(message(await ofJob(made, path), 400), '400 Bad request', path);
    for (const path of ['/out', '/out/', '/nope', '/out/a.txt%2Fb', '/OUT/a.txt', '/a..b']) {
      assert.equal(message(await ofJob(made, path), 404), '404 Path Not Found', path);
    }
    assert.equal((await ofJob(made, '/out%00a')).statusCode, 404);
  });

  test('says why it does not look into an archive, or unpack a file', async () => {
    const broken = await finished({}, Buffer.from('no archive'));
    assert.equal(message(await ofJob(broken, '/a'), 404), '404 Artifacts metadata Not Found');
    assert.equal(message(await ofJob(broken, '/tree'), 404), '404 Artifacts metadata Not Found');
    const deep = Array.from({ length: 200 }, (_, n) => ({ name: `${n}/${'a/'.repeat(2_000)}` }));
    const full = await finished({}, rawZip(deep));
    assert.equal(message(await ofJob(full, '/a'), 404), '404 Path Not Found');
    assert.match(message(await ofJob(full, '/tree'), 422), /cannot be read: more than 200000 entries/);
    const bomb = await finished({}, rawZip([{ name: 'b', content: Buffer.alloc(110 * 2 ** 20) }]));
    assert.match(message(await ofJob(bomb, '/b'), 422), /cannot be unpacked: the file is too large/);
    const link = await finished({}, rawZip([{ name: 'l', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]));
    assert.equal(message(await ofJob(link, '/l'), 404), '404 Path Not Found');
  });
});

describe('GET /projects/:id/jobs/:job_id/artifacts/tree', () => {
  test('lists a directory, or all below it', async () => {
    const made = await finished();
    const list = async (query: Record<string, string | number | boolean> = {}) =>
      expectStatus<{ path: string }[]>(await ofJob(made, '/tree', { query }), 200);
    assert.deepEqual(await list(), [
      { name: 'out', path: 'out/', type: 'directory', mode: '040755' },
      { name: 'top.bin', path: 'top.bin', type: 'file', size: 3, mode: '100644' },
    ]);
    const paths = async (query: Record<string, string | number | boolean>) =>
      (await list(query)).map(({ path }) => path);
    assert.deepEqual(await paths({ path: 'out' }), ['out/a.txt', 'out/sub/']);
    assert.deepEqual(await paths({ path: 'out/' }), ['out/a.txt', 'out/sub/']);
    assert.deepEqual(await paths({ path: 'out', recursive: true }), ['out/a.txt', 'out/sub/', 'out/sub/page.html']);
    assert.deepEqual(await paths({ recursive: true, per_page: 2, page: 2 }), ['out/sub/', 'out/sub/page.html']);
    const response = await ofJob(made, '/tree', { query: { recursive: true, per_page: 2, page: 2 } });
    assert.deepEqual(
      ['x-total', 'x-total-pages', 'x-next-page', 'x-prev-page'].map((name) => response.headers[name]),
      ['5', '3', '3', '1'],
    );
  });

  test('refuses what leads out, and does not find what is not there', async () => {
    const made = await finished();
    const ask = (path: string) => ofJob(made, '/tree', { query: { path } });
    for (const path of ['..', 'out/../..', '/etc', 'a\\b'])
      assert.equal(message(await ask(path), 400), '400 Bad request');
    for (const path of ['nope', 'top.bin', 'ou']) assert.equal(message(await ask(path), 404), '404 Path Not Found');
    const none = await holdJob(app, project);
    assert.equal(message(await ofJob(none, '/tree'), 404), '404 Artifacts Not Found');
  });

  test('of an archive without anything is empty', async () => {
    assert.deepEqual((await ofJob(await finished({}, {}), '/tree')).json(), []);
  });
});

describe('GET /projects/:id/jobs/artifacts/:ref_name/download and /raw/*artifact_path', () => {
  const raw = async (ref = 'main', query: Record<string, string> = { job: 'build' }) => {
    const response = await ofRef(ref, 'raw/v', query);
    return response.statusCode === 200 ? response.body : response.statusCode;
  };
  const version = (v: string, options: Parameters<typeof holdJob>[2] = {}) => finished(options, { v });

  test('are of the last successful pipeline of the ref', async () => {
    assert.equal(message(await ofRef('main', 'download'), 404), '404 Job Not Found');
    await version('1');
    const second = await version('2');
    assert.equal(await raw(), '2');
    const third = await version('3');
    await endJob(app, third, 'success', 'failed');
    assert.equal(await raw(), '2');
    const response = await ofRef('main', 'download');
    assert.deepEqual(response.rawPayload, second.zip);
    assert.equal(response.headers['content-type'], 'application/zip');
    const file = await ofRef('main', 'raw/v');
    assert.equal(file.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(file.headers['content-disposition'], `attachment; filename="v"; filename*=UTF-8''v`);
    assert.equal(await raw('other'), 404);
    assert.equal(await raw('main', { job: 'other' }), 404);
    assert.equal(message(await ofRef('main', 'download', {}), 400), 'job is missing, job is empty');
    assert.equal(message(await ofRef('main', 'raw/..%2fv'), 400), '400 Bad request');
  });

  test('take branches, tags and merge requests, and neither HEAD nor commits', async () => {
    await version('branch', { pipeline: { ref: 'feature/x' } });
    await version('tag', { pipeline: { ref: 'v1.0', tag: 1 } });
    await version('request', { pipeline: { ref: 'refs/merge-requests/1/head', source: 'merge_request_event' } });
    assert.equal(await raw('feature%2Fx'), 'branch');
    assert.equal(await raw('feature/x'), 'branch');
    assert.equal(await raw('v1.0'), 'tag');
    assert.equal(await raw('refs%2Fmerge-requests%2F1%2Fhead'), 'request');
    assert.equal(await raw('refs/merge-requests/1/head'), 'request');
    assert.equal((await ofRef('refs/merge-requests/1/head', 'download')).statusCode, 200);
    assert.equal((await ofRef('feature/x', 'download')).statusCode, 200);
    for (const ref of ['HEAD', 'a'.repeat(40), 'refs%2Fheads%2Ffeature%2Fx']) assert.equal(await raw(ref), 404, ref);
  });

  test('a tag of the name of a branch does not come before it', async () => {
    await version('branch');
    await version('tag', { pipeline: { tag: 1 } });
    assert.equal(await raw(), 'branch');
    assert.equal(await raw('main', { job: 'build', search_recent_successful_pipelines: 'true' }), 'branch');
  });

  test('leave out jobs that were retried, that failed without an archive, and states of outside systems', async () => {
    const { pipeline } = await version('old', { columns: { retried: 1 } });
    assert.equal(await raw(), 404);
    const again = await holdJob(app, project, { into: pipeline });
    assert.equal(await raw(), 404);
    expectStatus(await uploadArtifact(app, again, await zipOf({ v: 'new' })), 201);
    assert.equal(await raw(), 'new');
  });

  test('look at the pipeline before those that it started', async () => {
    const parent = await version('parent', { name: 'other' });
    const child = await version('child', { pipeline: { parent_id: parent.pipeline.id, source: 'parent_pipeline' } });
    await version('grandchild', {
      name: 'deep',
      pipeline: { parent_id: child.pipeline.id, source: 'parent_pipeline' },
    });
    assert.equal(await raw(), 'child');
    assert.equal(await raw('main', { job: 'deep' }), 'grandchild');
    const own = await holdJob(app, project, { into: parent.pipeline });
    expectStatus(await uploadArtifact(app, own, await zipOf({ v: 'own' })), 201);
    assert.equal(await raw(), 'own');
  });

  test('look through the last pipelines where that is asked for', async () => {
    await version('1');
    await version('2', { name: 'other' });
    assert.equal(await raw(), 404);
    const recent = { job: 'build', search_recent_successful_pipelines: 'true' };
    assert.equal(await raw('main', recent), '1');
    await version('3');
    await version('4', { name: 'other' });
    assert.equal(await raw('main', recent), '3');
    assert.equal(await raw('main', { ...recent, job: 'nope' }), 404);
  });

  test('bear names that nothing can have', async () => {
    const status = async (ref: string, query: Record<string, string>) =>
      (await ofRef(ref, 'download', query)).statusCode;
    assert.ok([400, 404].includes(await status('main', { job: 'a\0b' })));
    assert.equal(await status('ma%00in', { job: 'build' }), 404);
    assert.equal(await status('x'.repeat(2_000), { job: 'y'.repeat(5_000) }), 404);
  });

  test('keep to who may read', async () => {
    const made = await version('1');
    await setAccess('maintainer', made);
    const { developer, maintainer } = await app.make.members(project);
    const as = async (token: string) => (await ofRef('main', 'raw/v', { job: 'build' }, { token })).statusCode;
    assert.deepEqual([await as(developer.token), await as(maintainer.token)], [403, 200]);
  });
});
