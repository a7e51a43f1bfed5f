import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
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
  const waits = async ([file, write]: [string, (of: string) => Promise<void>]) => {
    await write(other);
    const theirs = `${file}.of-another`;
    writeFileSync(theirs, '');
    let isOver = false;
    const writing = write(dir).then(() => {
      isOver = true;
    });
    // Longer than they may be silent.
    for (let n = 0; n < 10; n += 1) {
      await sleep(500);
      utimesSync(theirs, new Date(), new Date());
    }
    assert.deepEqual([isOver, existsSync(file)], [false, false]);
    renameSync(join(other, relative(dir, file)), theirs);
    renameSync(theirs, file);
    await writing;
  };
  await Promise.all(Object.entries(writes).map(waits));
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
