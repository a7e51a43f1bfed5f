import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../test/support/git-fixture.ts';
import { loadConfig } from './config/config.ts';
import { isUnsynced, neverSync } from './core/unsynced-folders.ts';
import { flushKilledSeed, withDeferredFlush } from './deferred-seed-flush.ts';

function emptyData(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const { config } = loadConfig({ STITHY_DATA_DIR: dataDir });
  const storage = config.storages[0]!.path;
  mkdirSync(storage, { recursive: true });
  return { config, dataDir, mark: join(dataDir, 'seed-unflushed'), file: join(storage, 'deep/file') };
}

test('the first seed of a folder flushes nothing until its end, and says so on the disk', async (t) => {
  const { config, mark, file } = emptyData(t);
  const result = await withDeferredFlush(config, true, async () => {
    assert.ok(isUnsynced(file));
    assert.notEqual(readFileSync(mark, 'utf8'), '');
    mkdirSync(join(file, '..'));
    writeFileSync(file, 'text');
    return 7;
  });
  assert.deepEqual([result, isUnsynced(file), existsSync(mark), existsSync(file)], [7, false, false, true]);
});

test('a seed that fails leaves what it has made as durable as one that does not', async (t) => {
  const { config, mark, file } = emptyData(t);
  const fails = withDeferredFlush(config, true, async () => {
    throw new Error('refused');
  });
  await assert.rejects(fails, /refused/);
  assert.deepEqual([isUnsynced(file), existsSync(mark)], [false, false]);
});

test('later seeds, and those of data that is thrown away, write as all do', async (t) => {
  const { config, dataDir, mark, file } = emptyData(t);
  await withDeferredFlush(config, false, async () =>
    assert.deepEqual([isUnsynced(file), existsSync(mark)], [false, false]),
  );
  const resume = neverSync(dataDir);
  await withDeferredFlush(config, true, async () => assert.equal(existsSync(mark), false));
  resume();
});

test('after a kill the next start flushes what was written, but after a power failure nothing starts', async (t) => {
  const { config, mark, file } = emptyData(t);
  let boot = '';
  await withDeferredFlush(config, true, async () => {
    boot = readFileSync(mark, 'utf8');
  });
  await flushKilledSeed(config);
  writeFileSync(mark, boot);
  await flushKilledSeed(config);
  assert.deepEqual([existsSync(mark), isUnsynced(file)], [false, false]);
  writeFileSync(mark, 'another boot');
  await assert.rejects(flushKilledSeed(config), /went down while .* was seeded.*Remove the folder/);
  assert.ok(existsSync(mark));
});

test('files that cannot be flushed are not taken for flushed', async (t) => {
  const { config, mark, file } = emptyData(t);
  const storage = join(file, '../..');
  const applied = withDeferredFlush(config, true, async () => {
    rmSync(storage, { recursive: true });
    writeFileSync(storage, 'no folder');
  });
  await assert.rejects(applied, { code: 'ENOTDIR' });
  assert.ok(existsSync(mark));
});
