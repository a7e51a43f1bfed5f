import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { randomHistory, randomNumbers } from '../../../test/support/random-history.ts';
import { loadGraph } from './commit-graph.load.ts';
import { writePathIndexes } from './write-path-index.ts';
import { writeStats } from './write-stats-index.ts';

const FOLDER = 'objects/info/commit-graphs';
const HOUR_AGO = new Date(Date.now() - 3_600_000);

/** A repository with the graph of a history. @returns the folder of the graph, and where its indexes go */
async function withGraph({ dir, git }: GitFixture): Promise<{ folder: string; paths: string; lines: string }> {
  const { input } = randomHistory(randomNumbers(5), { commits: 40 });
  git(['fast-import', '--quiet', '--date-format=raw-permissive'], input);
  git(['commit-graph', 'write', '--reachable', '--split']);
  const layer = (await loadGraph(dir)).graph!.layers[0]!;
  return { folder: join(dir, FOLDER), paths: layer.pathIndexFile, lines: layer.statsFile };
}

/** Files that are no whole ones. */
const unfinishedIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /\.(?:paths|stats)\./.test(name));

/** Waits until the files of a folder were looked at whole. */
async function lookAt(t: TestContext, folder: string): Promise<void> {
  let looks = 0;
  const { readdir } = promises;
  const mocked = t.mock.method(promises, 'readdir', (path: string, ...more: []) => {
    if (path === folder) looks += 1;
    return readdir(path, ...more);
  });
  syncBuiltinESMExports();
  // The second begins when the first is over.
  while (looks < 2) await sleep(5);
  mocked.mock.restore();
  syncBuiltinESMExports();
}

test('what another server writes is waited for, and not written once more', async (t) => {
  const fixture = gitFixture(t);
  const { dir } = fixture;
  const { folder, paths, lines } = await withGraph(fixture);
  const other = join(dirname(dir), 'of-another');
  cpSync(dir, other, { recursive: true });
  const writes = {
    [paths]: (of: string) => writePathIndexes(of),
    [lines]: async (of: string) => {
      while (await writeStats(of));
    },
  };
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const waits = async ([file, write]: [string, (of: string) => Promise<void>]) => {
    await write(other);
    const theirs = `${file}.of-another`;
    writeFileSync(theirs, '');
    utimesSync(theirs, new Date(), new Date());
    let isOver = false;
    const writing = write(dir).then(() => {
      isOver = true;
    });
    // Longer in all than they may be silent.
    for (let n = 0; n < 2; n += 1) {
      await lookAt(t, folder);
      const now = new Date(Date.now() + 3_000);
      utimesSync(theirs, now, now);
      t.mock.timers.setTime(now.getTime());
    }
    await lookAt(t, folder);
    assert.deepEqual([isOver, existsSync(file)], [false, false]);
    renameSync(join(other, relative(dir, file)), theirs);
    renameSync(theirs, file);
    await writing;
  };
  for (const write of Object.entries(writes)) await waits(write);
  assert.deepEqual(unfinishedIn(folder), []);
});

test('what a server that was killed has left is removed, and written anew', async (t) => {
  const fixture = gitFixture(t);
  const { dir } = fixture;
  const { folder, paths, lines } = await withGraph(fixture);
  for (const file of [paths, lines]) {
    writeFileSync(`${file}.of-another`, 'half');
    utimesSync(`${file}.of-another`, HOUR_AGO, HOUR_AGO);
  }
  await writePathIndexes(dir);
  while (await writeStats(dir));
  assert.deepEqual([existsSync(paths), existsSync(lines), unfinishedIn(folder)], [true, true, []]);
});

test('a wait ends with its signal', async (t) => {
  const fixture = gitFixture(t);
  const { dir } = fixture;
  const { paths } = await withGraph(fixture);
  writeFileSync(`${paths}.of-another`, '');
  const controller = new AbortController();
  const writing = writePathIndexes(dir, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(writing, /enough/);
  rmSync(`${paths}.of-another`);
});
