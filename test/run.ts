/**
 * Runs the tests: `npm test`, `npm run test:postgres`, or `node test/run.ts [--sqlite | --postgres | --both] [--at-once N] [file or folder ...]`.
 * Everything runs on SQLite; with `--postgres` what touches the database runs on a PostgreSQL server that is started for it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findTests, longestFirst, NoTests, needsNewProcess, touchesDatabase } from './support/runner/files.ts';
import { type Failure, type FileResult, Pool } from './support/runner/pool.ts';
import { startPostgres } from './support/runner/postgres.ts';
import { Progress } from './support/runner/progress.ts';
import { makeScratch } from './support/runner/scratch.ts';

const MAX_CONCURRENCY = 8;
/** A process of files grows to 900 MB; what it writes lies in memory, too. */
const MEMORY_OF_ONE = 1.5 * 1024 ** 3;
/** Of the machine, or of the container around this process. */
const MEMORY = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
/** Two files more than processors, since files also wait. */
const CONCURRENCY = Math.max(
  1,
  Math.min(availableParallelism() + 2, MAX_CONCURRENCY, Math.floor(MEMORY / MEMORY_OF_ONE)),
);
const root = resolve(import.meta.dirname, '..');
const { values: options, positionals: paths } = parseArgs({
  options: {
    sqlite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    both: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: String(CONCURRENCY) },
  },
  allowPositionals: true,
});
const onPostgres = options.postgres || options.both;
const onSqlite = options.sqlite || options.both || !onPostgres;

const totals = { passed: 0, skipped: 0, failures: [] as (Failure & { suite: string })[] };
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());
const { signal } = interrupted;

const SLOWEST = 3;

const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

/** Kills servers in the middle of writes and looks at what they kept. @returns whether all was there */
async function crashRounds(): Promise<boolean> {
  const args = ['test/crash/run.ts', '--rounds', '3', ...(onSqlite ? [] : ['--postgres'])];
  // On the disk, not in the memory that the tests work in.
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', end, { once: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const [status] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  process.stdout.write(output);
  return status === 0;
}

function report(suite: string, results: FileResult[], started: number): void {
  const sum = (count: 'passed' | 'skipped') => results.reduce((total, result) => total + result[count], 0);
  const failures = results.flatMap((result) => result.failures);
  const passed = sum('passed');
  totals.passed += passed;
  totals.skipped += sum('skipped');
  totals.failures.push(...failures.map((failure) => ({ ...failure, suite })));
  const seconds = inSeconds(Date.now() - started);
  process.stdout.write(`${suite}: ${results.length} files, ${passed} passed, ${failures.length} failed, ${seconds}\n`);
  if (paths.length > 0) return;
  const slowest = results.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
  const list = slowest.map(({ file, milliseconds }) => `${file} ${inSeconds(milliseconds)}`);
  process.stdout.write(`  slowest: ${list.join(', ')}\n`);
}

/** Runs the files on SQLite or PostgreSQL, or on one after the other, and the crash rounds beside them. */
async function run(files: readonly string[]): Promise<void> {
  const started = Date.now();
  const suite = async (name: string, files: readonly string[], env: Record<string, string>) => {
    const tasks = files.map((file) => ({ file, env: { ...env, TMPDIR: scratch.path }, alone: needsNewProcess(file) }));
    const progress = new Progress(name, tasks.length);
    const results = await pool.run(tasks, (result) => progress.add(result));
    progress.end();
    if (!signal.aborted) report(name, results, started);
  };
  const touching = onPostgres ? files.filter(touchesDatabase) : [];
  const postgres = touching.length === 0 ? undefined : startPostgres(scratch.path);
  const crash = paths.length === 0 ? crashRounds() : undefined;
  try {
    // The second suite begins as soon as there is nothing left to begin of the first.
    await Promise.all([
      onSqlite ? suite('SQLite', files, { STITHY_TEST_POSTGRES: '' }) : undefined,
      postgres?.then(({ url, template }) =>
        suite('PostgreSQL', touching, { STITHY_TEST_POSTGRES: url, STITHY_TEST_TEMPLATE: template }),
      ),
    ]);
    if (crash === undefined || signal.aborted) return;
    if (await crash) totals.passed += 1;
    else {
      const file = 'test/crash/run.ts';
      totals.failures.push({ suite: 'crash', name: '3 rounds', file, line: 1, text: 'Its output is above.' });
    }
  } finally {
    await postgres?.then(({ stop }) => stop());
  }
}

/** The failures in full, then by name; the last line counts. */
function summary(): string {
  const { passed, skipped, failures } = totals;
  const details = failures.map(
    ({ suite, name, file, line, text }) => `\n--- ${name} (${suite}, ${file}:${line})\n${text}\n`,
  );
  const list = failures.map(({ suite, name, file, line }) => `  ${file}:${line} (${suite}): ${name}\n`);
  const counts = `${passed} passed, ${failures.length} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  return `${details.join('')}${list.length === 0 ? '' : `\nFailed:\n${list.join('')}`}\n${counts}\n`;
}

process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled');
const scratch = makeScratch();
const pool = new Pool(root, Number(options['at-once']), signal);
try {
  const files = longestFirst(root, findTests(root, paths));
  await run(files);
  if (signal.aborted) process.exitCode = 130;
  else {
    process.stdout.write(summary());
    process.exitCode = totals.failures.length > 0 || totals.passed === 0 ? 1 : 0;
  }
} catch (error) {
  if (!(error instanceof NoTests)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  pool.close();
  scratch.remove();
}
