import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePathIndexes } from '../../src/git/commit-graph/write-path-index.ts';
import { writeStats } from '../../src/git/commit-graph/write-stats-index.ts';
import { gitText, makePacked, randomNumbers } from '../git.ts';

/** Shape of the generated repository. */
const SHAPE = { commits: 84_000, files: 4_800, folders: 160, mergeEvery: 6 } as const;
/** Number of branches created in addition, at commits from the whole history. */
export const BRANCHES = 400;

/** The stream for `git fast-import`: files of 20 to 600 lines, each commit changes a few lines of one to three of them, every sixth is a merge. */
async function* history(): AsyncGenerator<string> {
  const next = randomNumbers(7);
  const pick = (below: number) => Math.floor(next() * below);
  const path = (n: number) => `part-${n % 16}/area-${n % SHAPE.folders}/file-${n}.c`;
  const texts: string[][] = [];
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  let tip = 0;
  let mark = 0;
  const commit = (parents: readonly number[], words: string, changed: ReadonlySet<number>): string => {
    mark += 1;
    const who = `Author ${mark % 300} <author${mark % 300}@example.org> ${1_300_000_000 + mark * 300} +0200`;
    let text = `commit refs/heads/main\nmark :${mark}\nauthor ${who}\ncommitter ${who}\n`;
    text += blob(`${words} ${mark}\n\nWhy it was made, in a sentence or two of ordinary length.\n`);
    parents.forEach((parent, at) => {
      if (parent > 0) text += `${at === 0 ? 'from' : 'merge'} :${parent}\n`;
    });
    for (const n of changed) text += `M 100644 inline ${path(n)}\n${blob(texts[n]!.join('\n'))}`;
    return `${text}\n`;
  };
  const change = (): Set<number> => {
    const changed = new Set<number>();
    for (let k = 1 + pick(3); k > 0; k -= 1) {
      // Some files change often, most seldom, and new ones are added continuously.
      const known = texts.length;
      const target = Math.min(SHAPE.files, 40 + Math.floor((mark / SHAPE.commits) * SHAPE.files * 1.05));
      const n = known < target ? known : Math.floor(next() ** 3 * known);
      texts[n] ??= Array.from({ length: 20 + pick(580) }, (_, line) => `\tint value_${n}_${line} = ${pick(100_000)};`);
      for (let lines = 1 + pick(4); lines > 0; lines -= 1) {
        texts[n][pick(texts[n].length)] = `\tint changed_${mark} = ${pick(100_000)};`;
      }
      changed.add(n);
    }
    return changed;
  };
  while (mark < SHAPE.commits) {
    const before = tip;
    yield commit([tip], 'Change number', change());
    tip = mark;
    if (mark % SHAPE.mergeEvery === 0) {
      const side = change();
      yield commit([before], 'Work on the side', side);
      // A merge has what its first parent has, and here what came from the side.
      yield commit([tip, mark], 'Merge what was made on the side', side);
      tip = mark;
    }
  }
  yield 'done\n';
}

/** The repository to measure: `BENCH_REPOSITORY`, or a generated one that is kept. @returns its directory */
export async function largeRepository(made: string): Promise<string> {
  const configured = process.env.BENCH_REPOSITORY;
  if (configured !== undefined) return configured;
  if (!existsSync(made)) await makePacked(made, history());
  return made;
}

/**
 * Copies a repository without its indexes and adds `main` and many branches.
 * @returns the directory of the copy
 */
export async function withBranches(from: string, dir: string): Promise<string> {
  await rm(dir, { recursive: true, force: true });
  await cp(from, dir, { recursive: true, force: true });
  // Commits are created on `main`.
  await gitText(dir, ['update-ref', 'refs/heads/main', 'HEAD']);
  await gitText(dir, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  const commits = (await gitText(dir, ['rev-list', '--all', '--max-count=200000'])).split('\n').filter(Boolean);
  const next = randomNumbers(3);
  const child = spawn('git', ['--git-dir', dir, 'update-ref', '--stdin'], { stdio: ['pipe', 'ignore', 'inherit'] });
  for (let n = 0; n < BRANCHES; n += 1) {
    const at = commits[Math.floor(next() * commits.length)];
    child.stdin.write(`update refs/heads/topic-${String(n).padStart(3, '0')} ${at}\n`);
  }
  child.stdin.end();
  await once(child, 'close');
  await gitText(dir, ['pack-refs', '--all']);
  return dir;
}

/** Copies a repository into a project, adds many branches and runs the housekeeping. */
export async function place(from: string, dir: string): Promise<void> {
  await withBranches(from, dir);
  await gitText(dir, ['commit-graph', 'write', '--reachable', '--changed-paths']);
  const savedStats = `${from}.stats`;
  const beside = join(dir, 'objects/info/commit-graphs');
  if (existsSync(savedStats)) await cp(savedStats, beside, { recursive: true });
  await writePathIndexes(dir);
  while (await writeStats(dir));
  await keepStats(beside, savedStats);
}

/** Counting the lines of a large repository takes minutes. The saved file is named by the checksum of its graph. */
async function keepStats(beside: string, savedStats: string): Promise<void> {
  await rm(savedStats, { recursive: true, force: true });
  await cp(beside, savedStats, {
    recursive: true,
    filter: (path) => path === beside || path.endsWith('.stats'),
  });
}
