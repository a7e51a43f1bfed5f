import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DIFF_OPTIONS } from '../../src/git/process/index.ts';
import type { Figure } from '../figures.ts';
import { timedGit } from '../git.ts';
import { type Load, load } from '../load.ts';
import { type Bare, type BenchServer, TOKEN } from '../server.ts';
import { KINDS, type Kind, type Questions } from './questions.ts';

const CONNECTIONS = 8;
const SECONDS = 6;
/** Seconds of a baseline measurement, longer than short fluctuations of the machine. */
const BARE_SECONDS = 4;
/** Number of response lengths that the bare route repeats. */
const BARE_ANSWERS = 20_000;
/** More than git prints patches of in that time. */
const DIFFS_EACH = 12_000;
const meanOf = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
const OID = /^[0-9a-f]{40,64}$/;

/** Minimum share of the bare route's rate, in percent. */
const LIMITS: Record<Kind, number | null> = {
  file: 6,
  raw: 6,
  commit: 8,
  tree: 10,
  diff: 4,
  log: 4,
  'path-log': 1,
  branches: null,
  blame: null,
};

/** Sends distinct requests over several connections for some seconds. */
const closed = (server: BenchServer, questions: Questions, kind: Kind): Promise<Load> =>
  load(
    `${server.url}/`,
    { 'PRIVATE-TOKEN': TOKEN },
    {
      connections: CONNECTIONS,
      seconds: SECONDS,
      next: () => `/api/v4/projects/1/repository/${questions.next(kind)}`,
    },
  );

/** Rate of concurrent `git blame` runs per second. */
async function gitBlames(dir: string, questions: Questions, beside: number): Promise<number> {
  let done = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: beside }, async () => {
      while (performance.now() - started < SECONDS * 1_000) {
        const { commit, path } = questions.nextBlame();
        await timedGit(['--git-dir', dir, 'blame', '--porcelain', commit, '--', path]);
        done += 1;
      }
    }),
  );
  return (done / (performance.now() - started)) * 1_000;
}

/** Rate per second of commits whose patches concurrent `git diff-tree` processes print, each commit once. */
async function gitDiffs(dir: string, questions: Questions, beside: number): Promise<number> {
  let done = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: beside }, async () => {
      const child = spawn('git', ['--git-dir', dir, 'diff-tree', '--stdin', '--always', ...DIFF_OPTIONS], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.on('error', () => {});
      child.stdin.end(Array.from({ length: DIFFS_EACH }, () => `${questions.nextChange()}\n`).join(''));
      const ended = once(child, 'close');
      const timer = setTimeout(() => child.kill(), SECONDS * 1_000);
      // The output of each commit starts with a line that contains only its id.
      for await (const line of createInterface({ input: child.stdout })) if (OID.test(line)) done += 1;
      clearTimeout(timer);
      await ended;
    }),
  );
  return (done / (performance.now() - started)) * 1_000;
}

/** Rate of each kind of question as a share of the bare route's rate with the same response sizes. */
export async function kinds(
  server: BenchServer,
  bare: Bare,
  dir: string,
  questions: Questions,
  only: readonly string[],
): Promise<Figure[]> {
  const figures: Figure[] = [];
  // Warms up the baseline.
  await load(bare.url, {}, { connections: CONNECTIONS, seconds: 2 });
  for (const kind of KINDS.filter((one) => only.length === 0 || only.includes(one))) {
    const ours = await closed(server, questions, kind);
    const ms = `p50 ${ours.p50.toFixed(1)}, p90 ${ours.p90.toFixed(1)} ms`;
    if (kind === 'blame') {
      const git = await gitBlames(dir, questions, 2);
      figures.push({
        name: 'never asked: blame, against `git blame` twice beside each other',
        measured: `${(ours.rate / git).toFixed(2)} (${ours.rate.toFixed(0)} of ${git.toFixed(0)} a second, ${ms})`,
        value: ours.rate / git,
        limit: 0.8,
        better: 'more',
      });
      continue;
    }
    // The median of a few long responses is not representative.
    await bare.answerAll('application/json', ours.sizes.slice(0, BARE_ANSWERS));
    const theirs = await load(bare.url, {}, { connections: CONNECTIONS, seconds: BARE_SECONDS });
    const percent = (ours.rate / theirs.rate) * 100;
    figures.push({
      name: `never asked: ${kind}`,
      measured: `${percent.toFixed(1)} % (${ours.rate.toFixed(0)} of ${theirs.rate.toFixed(0)} a second, ${meanOf(ours.sizes).toFixed(0)} bytes, half of them up to ${ours.bytes}, ${ms})`,
      value: percent,
      limit: LIMITS[kind] ?? 0,
      better: 'more',
    });
    if (kind !== 'diff') continue;
    const git = await gitDiffs(dir, questions, 2);
    figures.push({
      name: 'never asked: diff, against `git diff-tree --stdin` twice beside each other that nobody waits for',
      measured: `${(ours.rate / git).toFixed(2)} (git: ${git.toFixed(0)} a second, ${((git / theirs.rate) * 100).toFixed(1)} % of the bare route)`,
      value: ours.rate / git,
      limit: 0,
      better: 'more',
    });
  }
  return figures;
}
