import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { commitFiles } from '../../test/support/commits.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import { writeInThisThread } from '../git/files/writer/writing-thread.ts';

let app: TestApp;
let writeApart: () => void;
before(async () => {
  // What is done to files is seen in this thread alone.
  writeApart = writeInThisThread();
  app = await buildTestApp();
});
after(async () => {
  writeApart();
  await app.close();
});

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

/** Commits, and tells whether the change was announced while its objects were still on their way to the disk. */
async function isAnnouncedMeanwhile(files: Readonly<Record<string, string>>): Promise<boolean> {
  const project = await app.make.project();
  await commitFiles(app, project.id, { 'first.txt': 'x\n' });
  let announced = false;
  const look = async () => {
    // Who waits for the objects announces nothing, however long that takes.
    for (let looks = 0; looks < 40 && !announced; looks += 1) {
      await sleep(5);
      announced = (await app.deps.db.selectFrom('ref_intents').select('id').execute()).length > 0;
    }
  };
  let looking: Promise<void> | undefined;
  const { fsync } = fs;
  const held = mock.method(fs, 'fsync', (file: number, done: fs.NoParamCallback) => {
    looking ??= look();
    void looking.then(() => fsync(file, done));
  });
  syncBuiltinESMExports();
  try {
    await commitFiles(app, project.id, files);
    return announced;
  } finally {
    held.mock.restore();
    syncBuiltinESMExports();
  }
}

test('a small commit is announced while its objects are put on disk, a large one once they are there', async () => {
  assert.equal(await isAnnouncedMeanwhile({ 'a.txt': 'a\n' }), true);
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
  assert.equal(await isAnnouncedMeanwhile(many), false);
  assert.equal(await isAnnouncedMeanwhile({ 'large.txt': 'x'.repeat(2 * 1024 * 1024) }), false);
});
