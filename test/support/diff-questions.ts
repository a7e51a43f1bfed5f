import { isDeepStrictEqual } from 'node:util';
import type { DiffLimits } from '../../src/git/diff/diff-result.ts';
import { DEFAULT_DIFF_LIMITS, diffTrees, nativeDiff, statsOf } from '../../src/git/diff/index.ts';
import { nativeStats } from '../../src/git/diff/native-stats.ts';
import { DIFF_OPTIONS, type DiffWorkers, STATS_COMMAND, WORKER_CONTEXT_LINES } from '../../src/git/process/index.ts';
import { quote } from './fast-import.ts';
import type { GitFixture } from './git-fixture.ts';
import { type Random, randomNumbers } from './random-history.ts';

const NAMES = [
  'a',
  'b.c',
  'dir/c',
  'dir/sub/d',
  'x',
  'x/y',
  'end-of-answer',
  'sp ace',
  'na\tme"x',
  'k\u00fc\u0001/\u00f6l',
  'new\nline',
];
const MODES = ['100644', '100644', '100644', '100755', '120000', '160000'];

/** Texts and bytes that diffs are made of, those among them that could be taken for something else. */
function content(random: Random): Buffer {
  const lines = (count: number) =>
    Array.from(
      { length: count },
      () => ['same', '', 'end-of-answer', `${random(40)}`, ':100644 100644', 'diff --git a/x b/x', '\tb'][random(7)],
    );
  const kind = random(8);
  if (kind === 0) return Buffer.from(Array.from({ length: 1 + random(200) }, () => random(256)));
  if (kind === 1) return Buffer.alloc(0);
  if (kind === 2) return Buffer.from(lines(10).join('\r\n'));
  if (kind === 3) return Buffer.from(`${'x'.repeat(random(40_000))}\n${lines(3).join('\n')}`);
  return Buffer.from(`${lines(random(60)).join('\n')}${random(3) === 0 ? '' : '\n'}`);
}

interface File {
  mode: string;
  data: Buffer;
}

/** A file that is somewhat different: most changes are of a few lines. */
function edited({ mode, data }: File, random: Random): File {
  if (mode === '160000' || random(3) === 0) return fresh(random);
  const lines = data.toString('latin1').split('\n');
  lines.splice(random(lines.length + 1), random(3), ...(random(2) === 0 ? [] : ['end-of-answer']));
  return { mode: random(6) === 0 ? '100755' : mode, data: Buffer.from(lines.join('\n'), 'latin1') };
}

const fresh = (random: Random): File => ({ mode: MODES[random(MODES.length)]!, data: content(random) });

function put(files: Map<string, File>, path: string, file: File): void {
  for (const other of files.keys()) {
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  }
  files.set(path, file);
}

function change(files: Map<string, File>, random: Random): Map<string, File> {
  for (let left = random(5); left > 0; left -= 1) {
    const [path, other] = [NAMES[random(NAMES.length)]!, NAMES[random(NAMES.length)]!];
    const file = files.get(path);
    const kind = random(6);
    if (file === undefined) put(files, path, fresh(random));
    else if (kind === 0) files.delete(path);
    else if (kind === 1) {
      files.delete(path);
      put(files, other, random(2) === 0 ? file : edited(file, random));
    } else put(files, path, edited(file, random));
  }
  return files;
}

/**
 * Fills a repository with commits of text, binary files, links, submodules, renames, changes of modes and of nothing, with roots and merges.
 * @returns the ids
 */
export function generateChanges(fixture: GitFixture, { seed, commits }: { seed: number; commits: number }): string[] {
  const random = randomNumbers(seed);
  const made: Map<string, File>[] = [];
  const input: (string | Buffer)[] = ['feature done\n'];
  for (let number = 0; number < commits; number += 1) {
    const parents = number === 0 || random(15) === 0 ? [] : [number - 1 - random(Math.min(number, 4))];
    for (let more = random(6) - 3; parents.length > 0 && more > 0; more -= 1) parents.push(random(number));
    const unique = [...new Set(parents)];
    const files = change(new Map(made[unique[0] ?? -1]), random);
    made.push(files);
    input.push(
      `commit refs/heads/c${number}\nmark :${number + 1}\ncommitter Ada <ada@example.com> ${number} +0000\ndata 0\n`,
    );
    for (const [at, parent] of unique.entries()) input.push(`${at === 0 ? 'from' : 'merge'} :${parent + 1}\n`);
    input.push('deleteall\n');
    for (const [path, { mode, data }] of files) {
      if (mode === '160000') input.push(`M 160000 ${`${data.length}`.padStart(40, '1')} ${quote(path)}\n`);
      else input.push(`M ${mode} inline ${quote(path)}\ndata ${data.length}\n`, data, '\n');
    }
  }
  input.push('done\n');
  fixture.git(
    ['fast-import', '--quiet', '--date-format=raw-permissive'],
    Buffer.concat(input.map((part) => Buffer.from(part))),
  );
  return fixture.git(['rev-parse', ...made.map((_, at) => `c${at}`)]).split('\n');
}

/** What may be asked of a diff beside the usual. */
const LIMITS: readonly Partial<DiffLimits>[] = [
  {},
  {},
  { maxPatchBytes: 300 },
  { maxLines: 12 },
  { maxBytes: 150 },
  { maxFiles: 2 },
  { expanded: false, maxPatchBytes: 600 },
];

/** What a warm process prints, as text of bytes. */
export async function printed(workers: DiffWorkers, lines: readonly string[]): Promise<string> {
  let text = '';
  const onLine = (bytes: Buffer, start: number, end: number) => {
    text += `${bytes.toString('latin1', start, end)}\n`;
  };
  await workers.ask({ lines, onLine, maxRecord: Number.POSITIVE_INFINITY, cpuMs: 20_000 });
  return text;
}

/**
 * Compares what is found without git with what git says, of commits and of pairs at random.
 * @returns what differs, and how much was found without git
 */
export async function askWithAndWithoutGit(
  { repo }: GitFixture,
  oids: readonly string[],
  seed: number,
  questions: number,
): Promise<{ differing: string[]; compared: number }> {
  const random = randomNumbers(seed);
  const pick = () => oids[random(oids.length)]!;
  const differing: string[] = [];
  let compared = 0;
  for (let question = 0; question < questions; question += 1) {
    const to = pick();
    const parent = (await repo.objects.commit(to))!.parents[0] ?? null;
    const from = random(4) === 0 ? pick() : parent;
    const limits = { ...DEFAULT_DIFF_LIMITS, ...LIMITS[random(LIMITS.length)] };
    const plain = await nativeDiff(repo, from, to, limits);
    const git = await diffTrees(repo, from, to, { ...limits, onlyGit: true });
    if (plain !== null && !isDeepStrictEqual(plain, git))
      differing.push(`diff ${from} ${to} ${JSON.stringify(limits)}`);
    const stats = await nativeStats(repo, to);
    if (stats !== null && !isDeepStrictEqual(stats, (await statsOf(repo, [to])).get(to))) differing.push(`stats ${to}`);
    compared += plain === null ? 0 : 1;
  }
  return { differing, compared };
}

/** Asks warm processes and processes of their own the same at random, and says what they answer differently. */
export async function askWarmAndCold(
  fixture: GitFixture,
  oids: readonly string[],
  seed: number,
  questions: number,
): Promise<string[]> {
  const random = randomNumbers(seed);
  const { repo, bytes } = fixture;
  const pick = () => oids[random(oids.length)]!;
  const differing: string[] = [];
  for (let question = 0; question < questions; question += 1) {
    const to = pick();
    const parent = (await repo.objects.commit(to))!.parents[0];
    const from = random(3) === 0 ? pick() : (parent ?? pick());
    const options = [...DIFF_OPTIONS, `--unified=${WORKER_CONTEXT_LINES}`];
    const cold = bytes(['diff-tree', ...options, from, to]).toString('latin1');
    if ((await printed(repo.diffs, [`${to} ${from}`])) !== `${to}\n${cold}`) differing.push(`diff ${from} ${to}`);
    const trees = [(await repo.objects.commit(from))!.tree, (await repo.objects.commit(to))!.tree].join(' ');
    if ((await printed(repo.diffs, [trees])) !== `${trees}\n${cold}`) differing.push(`trees ${trees}`);
    const stats = bytes(STATS_COMMAND, `${to}\n${from}\n`).toString('latin1');
    if ((await printed(repo.stats, [to, from])) !== stats) differing.push(`stats ${to} ${from}`);
  }
  return differing;
}
