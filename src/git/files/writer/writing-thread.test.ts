import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { gitFixture } from '../../../../test/support/git-fixture.ts';
import { nameObject } from '../../objects/index.ts';
import type { NamedObject } from '../loose-files.ts';
import { fileOf, type ReplaceTask, retryTask, runTask } from './tasks.ts';
import { makeLock, replaceFile, storeObjects } from './writing-thread.ts';

let contents = 0;

async function blobs(count: number, length = 10): Promise<(NamedObject & { data: Buffer })[]> {
  const made: (NamedObject & { data: Buffer })[] = [];
  for (let n = 0; n < count; n += 1) {
    contents += 1;
    const data = Buffer.from(`${contents}\n`.padEnd(length, 'text '));
    made.push({ type: 'blob', data, oid: await nameObject('blob', data) });
  }
  return made;
}

/** Counts the flushes that this thread asks for. */
function countFlushes(t: TestContext): () => number {
  let flushes = 0;
  const { fsync } = fs;
  fs.fsync = Object.assign((file: number, done: fs.NoParamCallback) => {
    flushes += 1;
    fsync(file, done);
  }, fsync);
  syncBuiltinESMExports();
  t.after(() => {
    fs.fsync = fsync;
    syncBuiltinESMExports();
  });
  return () => flushes;
}

test('many writes are done by a thread, as they would be here', async (t) => {
  const { dir } = gitFixture(t);
  const objects = join(dir, 'objects');
  const flushes = countFlushes(t);
  const written: NamedObject[] = [];
  const store = async (batch: (NamedObject & { data: Buffer })[]) => {
    written.push(...batch);
    return (await storeObjects(objects, batch)).toSorted();
  };
  for (let before = -1; before !== flushes(); ) {
    before = flushes();
    // So many at once are many, however slow the machine is.
    const batches = await Promise.all(Array.from({ length: 110 }, () => blobs(1)));
    for (const [at, fresh] of (await Promise.all(batches.map(store))).entries()) {
      assert.deepEqual(
        fresh,
        batches[at]!.map(({ oid }) => oid),
      );
    }
  }
  const before = flushes();
  // What is compressed, and what is there already.
  const [large, known] = [await blobs(2, 20_000), written[0] as NamedObject & { data: Buffer }];
  assert.deepEqual(await store([...large, known]), large.map(({ oid }) => oid).toSorted());
  const batches = await Promise.all(Array.from({ length: 20 }, () => blobs(4)));
  await Promise.all(batches.map(store));
  for (const { oid, data } of written.slice(-100)) {
    const read = outputOf('git', ['--git-dir', dir, 'cat-file', 'blob', oid]);
    assert.deepEqual(read, data);
  }

  const [lock, file] = [join(dir, 'refs/heads/apart.lock'), join(dir, 'refs/heads/apart')];
  await makeLock(lock, 'content\n');
  await assert.rejects(makeLock(lock, 'other\n'), { code: 'EEXIST', syscall: 'open', path: lock });
  await assert.rejects(makeLock(join(dir, 'refs/none/x.lock'), 'x'), { code: 'ENOENT' });
  const away = { from: lock, to: join(dir, 'refs/none/x'), folder: null };
  await assert.rejects(replaceFile(away), { code: 'ENOENT', syscall: 'rename' });
  assert.equal(fs.readFileSync(lock, 'utf8'), 'content\n');
  assert.equal(await replaceFile({ from: lock, to: file, folder: join(dir, 'refs/heads') }), null);
  assert.equal(fs.readFileSync(file, 'utf8'), 'content\n');
  await makeLock(lock, 'more\n');
  // It is in its place, and nobody knows whether that lasts.
  const unsafe = await replaceFile({ from: lock, to: file, folder: join(dir, 'refs/none') });
  assert.equal((unsafe as NodeJS.ErrnoException).code, 'ENOENT');
  assert.equal(fs.readFileSync(file, 'utf8'), 'more\n');
  assert.equal(flushes(), before);
});

test('what a thread has put in its place before it ended is not put there again', async (t) => {
  const { dir } = gitFixture(t);
  const [lock, file] = [join(dir, 'refs/heads/once.lock'), join(dir, 'refs/heads/once')];
  const put: ReplaceTask = { name: 'put', from: lock, to: file, folder: join(dir, 'refs/heads') };
  fs.writeFileSync(lock, 'first\n');
  const begun = fileOf(put);
  assert.deepEqual(await retryTask(put, begun), {});
  assert.equal(fs.readFileSync(file, 'utf8'), 'first\n');
  assert.deepEqual(await retryTask(put, begun), {});
  // Another one's lock stays where it is.
  fs.writeFileSync(lock, 'second\n');
  assert.deepEqual(await retryTask(put, begun), {});
  assert.deepEqual(
    [lock, file].map((path) => fs.readFileSync(path, 'utf8')),
    ['second\n', 'first\n'],
  );
  fs.rmSync(lock);
  // There was nothing to put there.
  await assert.rejects(retryTask(put, fileOf(put)), { code: 'ENOENT' });
  await assert.rejects(runTask(put), { code: 'ENOENT' });
});
