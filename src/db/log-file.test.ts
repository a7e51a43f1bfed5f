import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
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

test('what cannot be put there is told to everybody who asked, and tried again for the next', async () => {
  const log = new LogFile(join(folder, 'db'));
  log.close();
  const asked = await Promise.allSettled([log.flush(), log.flush(), log.flush()]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  await assert.rejects(log.flush(), { code: 'EBADF' });
  assert.equal(log.pending, null);
});
