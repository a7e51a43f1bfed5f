import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { sendArchive } from '../../../../test/support/imports.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import { tarEntry, tarGzOf } from '../../../../test/support/tar.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

let count = 0;
/** Uploads an archive and runs its import. */
async function bring(bytes: Buffer, fields: Record<string, string> = {}): Promise<Json> {
  count += 1;
  const sent = await sendArchive(app, 'projects', bytes, { path: `brought-${count}`, ...fields });
  const made = expectStatus<Json>(sent, 201);
  assert.equal(made.import_status, 'scheduled');
  await app.drain();
  return expectStatus<Json>(await app.get(`/projects/${made.id}/import`), 200);
}
const HEAD = [
  ['VERSION', '0.2.4'],
  ['tree/project.json', JSON.stringify({ description: 'From afar', visibility_level: 20 })],
] as const;
const line = (value: Json) => `${JSON.stringify(value)}\n`;

test('what was exported becomes a project again', async () => {
  const source = await app.make.project();
  const ann = await app.make.user();
  await app.make.member({ project: source }, ann.user, 30);
  const git = new ProjectGit(app, source);
  const sha = git.commit('main', { 'a.txt': 'a' });
  const place = `/projects/${source.id}`;
  const issue = { title: 'Größe ☃', description: 'x'.repeat(5_000), labels: 'own' };
  expectStatus(await app.post(`${place}/issues`, { token: ann.token, json: issue }), 201);
  expectStatus(await app.post(`${place}/issues/1/notes`, { token: ann.token, json: { body: 'A word' } }), 201);
  expectStatus(
    await app.post(`${place}/releases`, { json: { tag_name: 'v1', ref: 'main', description: 'First' } }),
    201,
  );
  expectStatus(await app.post(`${place}/export`), 202);
  await app.drain();
  const archive = await app.get(`${place}/export/download`);
  const group = await app.make.group();
  const done = await bring(archive.rawPayload, { namespace: group.full_path, name: 'Brought' });
  assert.deepEqual(
    [done.import_status, done.import_type, done.failed_relations, done.import_error, done.path_with_namespace],
    ['finished', 'gitlab_project', [], null, `${group.full_path}/brought-${count}`],
  );
  const copy = `/projects/${done.id}`;
  const importedIssue = expectStatus<Json>(await app.get(`${copy}/issues/1`), 200);
  assert.deepEqual(
    [importedIssue.title, importedIssue.description, importedIssue.labels],
    [issue.title, issue.description, ['own']],
  );
  assert.match(String((importedIssue.author as Json).username), /_placeholder_/);
  const notes = expectStatus<Json[]>(await app.get(`${copy}/issues/1/notes`), 200);
  assert.ok(notes.some(({ body }) => body === 'A word'));
  assert.equal(expectStatus<Json>(await app.get(`${copy}/releases/v1`), 200).description, 'First');
  const file = await app.get(`${copy}/repository/files/a.txt/raw`, { query: { ref: 'main' } });
  assert.equal(file.body, 'a');
  assert.equal(expectStatus<Json>(await app.get(`${copy}/repository/branches/main`), 200).name, 'main');
  assert.ok(sha);
  assert.deepEqual(expectStatus(await app.get('/bulk_imports/entities'), 404), { message: '404 Not Found' });
});

describe('an archive', () => {
  test('gives nothing but plain files of known names', async () => {
    const secret = 'a'.repeat(32);
    const parts = [
      ...HEAD.map(([name, text]) => tarEntry(name, text)),
      tarEntry('../../../../tmp/stithy-evil', 'evil'),
      tarEntry('/etc/stithy-evil', 'evil'),
      tarEntry('tree/project/../../evil.ndjson', 'evil'),
      tarEntry(`uploads/${secret}/..`, 'evil'),
      tarEntry('tree/project/labels.ndjson', '/etc/passwd', { type: '2' }),
      tarEntry('project.bundle', '', { type: '2' }),
      tarEntry(`lfs-objects/${'b'.repeat(64)}`, 'not of that hash'),
      tarEntry(`uploads/${secret}/good.txt`, 'good'),
      tarEntry('tree/project/issues.ndjson', line({ iid: 3, title: 'Kept', author_id: 5 })),
      Buffer.alloc(1_024),
    ];
    const done = await bring(gzipSync(Buffer.concat(parts)));
    assert.equal(done.import_status, 'finished');
    const of = (table: 'uploads' | 'lfs_objects' | 'labels') =>
      app.deps.db.selectFrom(table).select('project_id').where('project_id', '=', Number(done.id)).execute();
    assert.deepEqual([(await of('uploads')).length, await of('lfs_objects'), await of('labels')], [1, [], []]);
    assert.equal(expectStatus<Json>(await app.get(`/projects/${done.id}/issues/3`), 200).title, 'Kept');
  });

  test('has a repository whose branches and tags may be here, and nothing else of it', async () => {
    const source = await app.make.project();
    const git = new ProjectGit(app, source);
    const sha = git.commit('main', { 'a.txt': 'a' });
    const evil = `refs/heads/${'a'.repeat(40)}`;
    for (const ref of [evil, `${evil}-x`, 'refs/keep-around/x', 'refs/merge-requests/1/head', 'refs/hooks/x']) {
      git.run(['update-ref', ref, sha]);
    }
    git.run(['config', 'core.sshCommand', 'touch /tmp/stithy-evil-ssh']);
    const bundle = (...refs: string[]) =>
      outputOf('git', [`--git-dir=${git.dir}`, 'bundle', 'create', '--quiet', '-', ...refs]);
    const done = await bring(await tarGzOf([...HEAD, ['project.bundle', bundle('--all')]]));
    assert.equal(done.import_status, 'finished');
    const row = await app.deps.db
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', Number(done.id))
      .executeTakeFirstOrThrow();
    const copy = new ProjectGit(app, row);
    assert.equal(copy.run(['for-each-ref', '--format=%(refname)']), 'refs/heads/main');
    assert.doesNotMatch(copy.run(['config', '--list', '--local']), /sshcommand/i);
    // What only says that it has objects, or has one that git does not take, is no repository.
    const submodule = git.commit('bad', { '.gitmodules': '[submodule "x"]\n\tpath = ../x\n\turl = -u./x\n' });
    for (const [n, bytes] of [
      bundle('main').subarray(0, -20),
      Buffer.from(`# v2 git bundle\n-${sha}\n${submodule} refs/heads/main\n\n`),
      bundle('bad'),
    ].entries()) {
      const failed = await bring(await tarGzOf([...HEAD, ['project.bundle', bytes]]));
      assert.equal(failed.import_status, 'failed', String(n));
      assert.equal(failed.import_error, 'The repository of the archive could not be read.');
    }
  });

  test('that unpacks to more than administrators allow fails, and memory does not grow with it', async () => {
    expectStatus(await app.put('/application/settings', { json: { max_decompressed_archive_size: 1 } }), 200);
    const bomb = await tarGzOf([...HEAD, ['tree/project/issues.ndjson', Buffer.alloc(30 * 1024 * 1024)]]);
    assert.ok(bomb.length < 100_000);
    const done = await bring(bomb);
    assert.equal(done.import_status, 'failed');
    assert.match(String(done.import_error), /more than 1048576 bytes/);
    expectStatus(await app.put('/application/settings', { json: { max_decompressed_archive_size: 25_600 } }), 200);
  });

  test('of another version, or none at all, fails and says why', async () => {
    const version = async (text: string) => (await bring(await tarGzOf([['VERSION', text], HEAD[1]]))).import_error;
    assert.equal(await version('0.2.3'), 'Import version mismatch: Required 0.2.4 but was 0.2.3');
    assert.equal(await version('new'), 'Incorrect VERSION format');
    assert.match(String((await bring(Buffer.from('no archive'))).import_error), /not in gzip format/);
    assert.match(
      String((await bring(gzipSync('no tar at all'.repeat(100)))).import_error),
      /is not a tar archive|VERSION/,
    );
    assert.equal((await bring(await tarGzOf([HEAD[0]]))).import_error, 'tree/project.json is missing');
  });

  test('with objects that do not fit gives all others, and tells of those', async () => {
    const good = (iid: number) => line({ iid, title: `Issue ${iid}`, author_id: 7, state: 'closed', weight: 'many' });
    const issues = [
      good(1),
      '{"iid":\n',
      line({ title: 'no number' }),
      line({ iid: 2 ** 60, title: 'too high' }),
      good(1),
      line({ iid: 2, title: 'x\0y'.repeat(200), description: 'z'.repeat(2 * 1024 * 1024) }),
      '[]\n',
      line({ iid: 4, title: 'half \ud800', notes: [{ note: 'Said\0' }, { note: 5 }, 'nothing'] }),
      line({ iid: 5, title: 'Whole', notes: [{ note: 'Said\0', created_at: 'never', author_id: -1 }], milestone: 7 }),
    ].join('');
    const done = await bring(await tarGzOf([...HEAD, ['tree/project/issues.ndjson', issues]]));
    assert.equal(done.import_status, 'finished');
    const failed = (done.failed_relations as Json[]).map(({ relation_name, exception_message }) => [
      relation_name,
      exception_message,
    ]);
    assert.equal(failed.length, 7, JSON.stringify(failed));
    assert.ok(failed.every(([relation]) => relation === 'issues'));
    const left = expectStatus<Json[]>(await app.get(`/projects/${done.id}/issues`, { query: { sort: 'asc' } }), 200);
    assert.deepEqual(left.map(({ iid, state }) => [iid, state]).sort(), [
      [1, 'closed'],
      [5, 'opened'],
    ]);
    const [note] = expectStatus<Json[]>(await app.get(`/projects/${done.id}/issues/5/notes`), 200);
    assert.equal(note!.body, 'Said');
  });

  test('that is refused leaves no bytes behind', async () => {
    const { token } = await app.make.user();
    const bytes = await tarGzOf([['VERSION', `refused ${Math.random()}`]]);
    const sha256 = hash('sha256', bytes);
    const project = { path: 'x', namespace: 'nowhere' };
    expectStatus(await sendArchive(app, 'projects', bytes, project, token), 404);
    const group = { name: 'x', path: 'x', parent_id: '999999' };
    expectStatus(await sendArchive(app, 'groups', bytes, group, token), 404);
    const jobs = await app.deps.db
      .selectFrom('jobs')
      .select('payload')
      .where('kind', '=', 'blobs.remove_unused')
      .execute();
    assert.equal(jobs.filter(({ payload }) => payload.includes(sha256)).length, 2);
  });

  test('is refused where it cannot be put', async () => {
    const { token } = await app.make.user();
    const group = await app.make.group({ visibility: 'public' });
    const archive = await tarGzOf(HEAD);
    const send = (fields: Record<string, string>) => sendArchive(app, 'projects', archive, fields, token);
    expectStatus(await send({}), 400);
    expectStatus(await send({ path: 'x', namespace: 'nowhere' }), 404);
    expectStatus(await send({ path: 'x', namespace: group.full_path }), 403);
    expectStatus(await app.post('/projects/import', { token, json: { path: 'x' } }), 400);
    expectStatus(await app.post('/projects/import', { token: null, json: {} }), 401);
    expectStatus(await app.put('/application/settings', { json: { import_sources: ['git'] } }), 200);
    expectStatus(await send({ path: 'x' }), 403);
  });
});
