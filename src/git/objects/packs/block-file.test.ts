import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { temporaryFolder } from '../../../../test/support/git-fixture.ts';
import { Random } from '../../../../test/support/random-objects.ts';
import { collectGarbage } from '../../../core/heap-release.ts';
import { BlockFile } from './block-file.ts';
import { BlockFiles } from './block-files.ts';

const REGION = 128 * 1024;

/** A file of so many regions, read by a clock of its own: each read at once takes `disk.ms`. */
async function opened(t: TestContext, regions: number, maxBytes = 64 * 1024) {
  const disk = { ms: 0 };
  let time = 0;
  const now = () => {
    time += disk.ms;
    return time;
  };
  const files = new BlockFiles({ maxOpen: 10, maxBytes, idleMs: 1e9, now });
  t.after(() => files.close());
  const path = join(temporaryFolder(t), 'file');
  const bytes = randomBytes(regions * REGION - 77);
  writeFileSync(path, bytes);
  const file = new BlockFile(path, files);
  await file.open();
  /** Looks at the beginning of a region. @returns whether a thread had to read it */
  const visit = async (region: number): Promise<boolean> => {
    const at = region * REGION;
    const isThere = file.tryRead(at, 100);
    if (!isThere) {
      await file.load(at, 100);
      assert.ok(file.tryRead(at, 100));
    }
    assert.deepEqual(file.bytes.subarray(file.at, file.end), bytes.subarray(at, at + 100));
    return !isThere;
  };
  return { file, files, bytes, disk, visit };
}

test('bytes are the same wherever they lie, over blocks and at the end, with few blocks in memory', async (t) => {
  for (const maxBytes of [1, 64 * 1024]) {
    const { file, bytes } = await opened(t, 6, maxBytes);
    const random = new Random(maxBytes);
    for (let round = 0; round < 500; round += 1) {
      const at = random.below(bytes.length);
      const length = random.below(random.pick([10, 5_000, 200_000]));
      while (!file.tryRead(at, length)) await file.load(at, length);
      assert.ok(file.bytes.subarray(file.at, file.end).equals(bytes.subarray(at, at + length)), `${at} ${length}`);
      assert.deepEqual(file.peek(at, 10), bytes.subarray(at, at + 10));
    }
    assert.equal(file.tryRead(bytes.length, 1), false);
    await assert.rejects(file.load(bytes.length, 1), { code: 'corrupt' });
  }
});

test('bytes are the same while what was read is released again and again', async (t) => {
  const { file, files, bytes } = await opened(t, 6, 1024 * 1024);
  let ended = false;
  let releases = 0;
  const releasing = (async () => {
    for (; !ended; releases += 1) {
      files.release();
      await turn();
    }
  })();
  const random = new Random(7);
  for (let round = 0; round < 300; round += 1) {
    const at = random.below(bytes.length);
    const length = random.below(random.pick([10, 5_000, 200_000]));
    while (!file.tryRead(at, length)) await file.load(at, length);
    assert.ok(file.bytes.subarray(file.at, file.end).equals(bytes.subarray(at, at + length)), `${at} ${length}`);
    if (round % 10 === 0) await turn();
  }
  ended = true;
  await releasing;
  assert.ok(releases > 30, String(releases));
});

test('what is released is no longer held, and a file that is read to its end stays open', async (t) => {
  const { file, files, visit } = await opened(t, 12, 8 * 1024 * 1024);
  for (let region = 0; region < 12; region += 1) await visit(region);
  const held = new WeakRef(file.bytes.buffer);
  const end = file.hold();
  files.release();
  assert.equal(files.size, 1);
  end();
  files.release();
  assert.deepEqual([files.size, file.bytes.length], [0, 0]);
  await turn();
  collectGarbage();
  assert.equal(held.deref(), undefined);
  assert.equal(file.tryRead(0, 10), false);
  await file.load(0, 10);
  assert.ok(file.tryRead(0, 10));
});

test('after some regions that threads have read, the rest of a file is read at once', async (t) => {
  const { visit } = await opened(t, 12);
  const byThread: boolean[] = [];
  for (let region = 0; region < 12; region += 1) byThread.push(await visit(region));
  assert.deepEqual(byThread, [...Array(4).fill(true), ...Array(8).fill(false)]);
});

test('a read at once that waits for a disk makes threads read four times as many regions before the next one', async (t) => {
  const { visit, disk } = await opened(t, 120);
  const atOnce: number[] = [];
  disk.ms = 2;
  for (let region = 0; region < 120; region += 1) if (!(await visit(region))) atOnce.push(region);
  // Blocks of what threads have read are read at once, too: these were slow as well, so more is left to threads.
  assert.ok(atOnce.length <= 3, atOnce.join());
});

test('files that are on a disk make others be tried later, until many reads have not waited', async (t) => {
  const { visit, disk, files } = await opened(t, 100);
  for (let region = 0; region < 4; region += 1) assert.ok(await visit(region));
  disk.ms = 2;
  assert.equal(await visit(4), false);
  assert.equal(files.latencyProbe.regions, 16);
  disk.ms = 0;
  for (let region = 5; region < 21; region += 1) assert.ok(await visit(region), String(region));
  for (let region = 21; region < 85; region += 1) assert.equal(await visit(region), false, String(region));
  assert.equal(files.latencyProbe.regions, 4);
});
