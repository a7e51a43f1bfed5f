import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { holdJob } from '../../../../test/support/artifacts.ts';
import { makePackage } from '../../../../test/support/packages.ts';
import type { Project } from '../../../db/tables/projects.table.ts';

interface Shown {
  id: number;
  file_name: string;
  size: number;
  file_md5: string;
  file_sha1: string;
  file_sha256: string;
  pipelines?: { id: number }[];
}

let app: TestApp;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project({ visibility: 'private' });
  staff = await app.make.members(project);
});
after(() => app.close());

const filesAt = (id: number) => `/projects/${project.id}/packages/${id}/package_files`;
const filesOf = async (id: number, query: Record<string, string> = {}) =>
  expectStatus<Shown[]>(await app.get(filesAt(id), { query }), 200);

describe('the files of a package', () => {
  test('are listed with their digests, in every order', async () => {
    const { id } = await makePackage(app.deps, project.id, { files: { b: 'of b', a: 'of a', c: 'of c' } });
    const files = await filesOf(id);
    const digest = (name: string) => createHash(name).update('of b').digest('hex');
    const [{ id: _id, ...first }] = files as [Shown & { package_id: number; created_at: string }];
    assert.deepEqual(first, {
      package_id: id,
      created_at: first.created_at,
      file_name: 'b',
      size: 4,
      file_md5: digest('md5'),
      file_sha1: digest('sha1'),
      file_sha256: digest('sha256'),
    });
    const names = async (query: Record<string, string>) => (await filesOf(id, query)).map((file) => file.file_name);
    assert.deepEqual(await names({}), ['b', 'a', 'c']);
    assert.deepEqual(await names({ order_by: 'id', sort: 'desc' }), ['c', 'a', 'b']);
    assert.deepEqual(await names({ order_by: 'file_name' }), ['a', 'b', 'c']);
    assert.deepEqual(await names({ order_by: 'created_at', sort: 'desc' }), ['c', 'a', 'b']);
    assert.deepEqual(await names({ per_page: '2', page: '2' }), ['c']);
    expectStatus(await app.get(filesAt(id), { query: { order_by: 'size' } }), 400);
  });

  test('name the pipeline whose job published them', async () => {
    const { pipeline, token } = await holdJob(app, project, { columns: { user_id: staff.developer.user.id } });
    const path = `/projects/${project.id}/packages/generic/built/1.0/f.txt`;
    const sent = { token: null, body: 'x', headers: { 'job-token': token, 'content-type': 'text/plain' } };
    expectStatus(await app.put(path, sent), 201);
    const [one] = (await app.get(`/projects/${project.id}/packages?package_name=built`)).json<
      { id: number; pipeline: { id: number } }[]
    >();
    assert.equal(one!.pipeline.id, pipeline.id);
    const [file] = await filesOf(one!.id);
    assert.deepEqual(
      file!.pipelines!.map(({ id }) => id),
      [pipeline.id],
    );
    const elsewhere = await holdJob(app, await app.make.project({ visibility: 'private' }));
    const later = { package_id: one!.id, package_file_id: file!.id, pipeline_id: elsewhere.pipeline.id };
    await app.deps.db.insertInto('package_pipelines').values(later).execute();
    assert.deepEqual(
      (await filesOf(one!.id))[0]?.pipelines?.map(({ id }) => id),
      [pipeline.id],
      'one elsewhere hides it',
    );
    const asJob = { token: null, headers: { 'job-token': token } };
    expectStatus(await app.get(`/projects/${project.id}/packages/${one!.id}`, asJob), 200);
    expectStatus(await app.request('DELETE', `${filesAt(one!.id)}/${file!.id}`, asJob), 403);
  });

  test('are downloaded by those who may read packages', async () => {
    const { id } = await makePackage(app.deps, project.id, { files: { 'dir%2Fa "file".html': '<b>content</b>' } });
    const [file] = await filesOf(id);
    const at = `${filesAt(id)}/${file!.id}/download`;
    const got = await app.get(at, { token: staff.reporter.token });
    assert.equal(got.body, '<b>content</b>');
    assert.equal(got.headers['content-type'], 'application/octet-stream');
    assert.equal(got.headers['x-content-type-options'], 'nosniff');
    assert.match(String(got.headers['content-disposition']), /^attachment; filename="a \\?.*file/);
    const part = await app.get(at, { headers: { range: 'bytes=3-9' } });
    assert.equal(part.statusCode, 206);
    assert.equal(part.body, 'content');
    expectStatus(await app.get(at, { token: staff.guest.token }), 403);
    expectStatus(await app.get(at, { token: staff.stranger.token }), 404);
    expectStatus(await app.get(at, { token: null }), 404);
    for (const status of ['processing', 'error'] as const) {
      const other = await makePackage(app.deps, project.id, { status, files: { f: 'x' } });
      const [of] = await filesOf(other.id);
      expectStatus(await app.get(`${filesAt(other.id)}/${of!.id}/download`), 404);
    }
  });

  test('are deleted by Maintainers', async () => {
    const { id } = await makePackage(app.deps, project.id, { files: { a: 'of a', b: 'of b' } });
    const [a, b] = await filesOf(id);
    const at = `${filesAt(id)}/${a!.id}`;
    expectStatus(await app.request('DELETE', at, { token: null }), 401);
    expectStatus(await app.request('DELETE', at, { token: staff.stranger.token }), 404);
    expectStatus(await app.request('DELETE', at, { token: staff.developer.token }), 403);
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2018 00:00:00 GMT' };
    expectStatus(await app.request('DELETE', at, { headers }), 412);
    expectStatus(await app.request('DELETE', at, { token: staff.maintainer.token }), 204);
    assert.deepEqual(
      (await filesOf(id)).map((file) => file.id),
      [b!.id],
    );
    expectStatus(await app.get(`${at}/download`), 404);
    expectStatus(await app.request('DELETE', at), 404);
    await app.drain();
    const rows = await app.deps.db.selectFrom('package_files').select('id').where('package_id', '=', id).execute();
    assert.deepEqual(
      rows.map((row) => row.id),
      [b!.id],
    );
  });
});
