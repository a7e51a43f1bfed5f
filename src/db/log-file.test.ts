import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { LogFile } from './log-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'stithy-test-'));
after(() => rm(folder, { recursive: true }));
await writeFile(join(folder, 'db-wal'), 'log');

test('who asks while the log is put on disk has it done once more, with all others', async () => {
  const log = new LogFile(join(folder, 'db'));
  assert.equal(log.pending, null);
  const first = log.flush();
  assert.equal(log.pending, first);
  const second = log.flush();
  const third = log.flush();
  assert.notEqual(second, first);
  assert.equal(third, second);
  assert.equal(log.pending, second);
  let isFirstDone = false;
  void first.then(() => {
    isFirstDone = true;
  });
  await second;
  assert.ok(isFirstDone);
  assert.equal(log.pending, null);
  log.close();
});

test('once it could not be put there, nothing is taken for being there any more', async () => {
  const log = new LogFile(join(folder, 'db'));
  const fails = mock.method(fs, 'fdatasync', (_file: number, done: fs.NoParamCallback) => done(new Error('EIO')));
  syncBuiltinESMExports();
  const asked = await Promise.allSettled([log.flush(), log.flush(), log.flush()]);
  fails.mock.restore();
  syncBuiltinESMExports();
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  // The system reports success.
  await assert.rejects(log.flush(), { message: 'EIO' });
  await assert.rejects(log.pending!, { message: 'EIO' });
  log.close();
});
