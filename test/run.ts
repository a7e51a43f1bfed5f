/**
 * Runs the tests: `npm test`, or `node test/run.ts [--sqlite | --postgres] [--at-once N] [file or folder ...]`.
 * Everything runs on SQLite; what touches the database runs again on a PostgreSQL server that is started for it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findTests, NoTests, needsNewProcess, touchesDatabase } from './support/runner/files.ts';
import { type Failure, Pool } from './support/runner/pool.ts';
import { startPostgres } from './support/runner/postgres.ts';

/** More files at once than processors make nothing faster, and each takes some 300 MB. */
const MOST_AT_ONCE = 8;
const root = resolve(import.meta.dirname, '..');
const { values: options, positionals: paths } = parseArgs({
  options: {
    sqlite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: String(Math.min(availableParallelism(), MOST_AT_ONCE)) },
  },
  allowPositionals: true,
});
const onBoth = options.sqlite === options.postgres;

const totals = { passed: 0, skipped: 0, failures: [] as (Failure & { suite: string })[] };
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => interrupted.abort());
const { signal } = interrupted;

const SLOWEST = 3;

const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;

async function runSuite(suite: string, files: readonly string[], env: Record<string, string>): Promise<void> {
  if (files.length === 0 || signal.aborted) return;
  const started = Date.now();
  const results = await pool.run(
    files.map((file) => ({ file, env, alone: needsNewProcess(file) })),
    signal,
  );
  if (signal.aborted) return;
  const sum = (count: 'passed' | 'skipped') => results.reduce((total, result) => total + result[count], 0);
  const failures = results.flatMap((result) => result.failures);
  const passed = sum('passed');
  totals.passed += passed;
  totals.skipped += sum('skipped');
  totals.failures.push(...failures.map((failure) => ({ ...failure, suite })));
  const seconds = inSeconds(Date.now() - started);
  process.stdout.write(`${suite}: ${files.length} files, ${passed} passed, ${failures.length} failed, ${seconds}\n`);
  if (paths.length === 0) {
    const slowest = results.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
    const list = slowest.map(({ file, milliseconds }) => `${file} ${inSeconds(milliseconds)}`);
    process.stdout.write(`  slowest: ${list.join(', ')}\n`);
  }
}

async function runOnPostgres(files: readonly string[]): Promise<void> {
  if (files.length === 0 || signal.aborted) return;
  const server = await startPostgres();
  try {
    await runSuite('PostgreSQL', files, { STITHY_TEST_POSTGRES: server.url, STITHY_TEST_TEMPLATE: server.template });
  } finally {
    await server.stop();
  }
}

/** Kills servers in the middle of writes and looks at what they kept. */
function runCrashRounds(): void {
  const file = 'test/crash/run.ts';
  if (!existsSync(join(root, file)) || signal.aborted) return;
  const { status } = spawnSync(process.execPath, [file, '--rounds', '3'], { cwd: root, stdio: 'inherit' });
  if (status === 0) totals.passed += 1;
  else totals.failures.push({ suite: 'crash', name: '3 rounds', file, line: 1, text: 'Its output is above.' });
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
const pool = new Pool(root, Number(options['at-once']), signal);
try {
  const files = findTests(root, paths);
  if (onBoth || options.sqlite) {
    await runSuite('SQLite', files, { STITHY_TEST_POSTGRES: '' });
    if (paths.length === 0) runCrashRounds();
  }
  if (onBoth || options.postgres) await runOnPostgres(files.filter(touchesDatabase));
  if (signal.aborted) process.exit(130);
  process.stdout.write(summary());
  process.exitCode = totals.failures.length > 0 || totals.passed === 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof NoTests)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
} finally {
  pool.close();
}
