import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, mock, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { ProjectGit } from '../../test/support/project-git.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

/** Has the first files that are put on disk meanwhile fail, as on a disk that is full. */
async function withFullDisk<T>(work: () => Promise<T>): Promise<T> {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const fsync = mock.method(fs, 'fsync', (_file: number, done: fs.NoParamCallback) => setImmediate(done, full), {
    times: 3,
  });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fsync.mock.restore();
    syncBuiltinESMExports();
  }
}

test('a commit whose objects cannot be stored moves nothing and leaves nothing, and can be made again', async () => {
  const project = await app.make.project();
  const { id: before } = await commitFiles(app, project.id, { 'a.txt': 'a\n' });
  const git = new ProjectGit(app, project);
  const commit = () =>
    app.post(`/projects/${project.id}/repository/commits`, {
      json: {
        branch: 'main',
        commit_message: 'Another',
        actions: [{ action: 'create', file_path: 'b.txt', content: 'b\n' }],
      },
    });
  const failed = await withFullDisk(commit);
  assert.ok(failed.statusCode >= 500, failed.body);
  assert.equal(git.run(['rev-parse', 'main']), before);
  assert.deepEqual(await app.deps.db.selectFrom('ref_intents').selectAll().execute(), []);
  const { id } = expectStatus<{ id: string }>(await commit(), 201);
  assert.equal(git.run(['rev-parse', 'main']), id);
  assert.equal(git.run(['fsck', '--strict', '--no-dangling']), '');
});
