/**
 * Looks for faults with what nobody would send: `npm run test:fuzz`, or
 * `node test/fuzz/run.ts [name ...] [--sqlite | --postgres] [--minutes N] [--cases N] [--seed N] [--only N] [--path REGEX]`.
 *
 * `api` sends requests that schemathesis makes out of our own OpenAPI document. It fails at an answer 5xx, at a status, a
 * header or a content type that is not declared, and at a body that differs from its schema. It goes on for some minutes on each
 * database; the seed decides which operations come first, of which every kind of value is tried. `graphql` asks hostile
 * questions: it fails at one that takes more than a second of processor time or 50 MB; `bodies` sends too many keys, values
 * and parts: it fails at half a second. `ssh-server` connects 200 clients at a
 * time that never sign in: it fails where a good one is not served beside them, or anything is left of them. All run on both
 * databases, and the last lines say how many requests were sent.
 *
 * The others are parsers (`parsers/fuzzers.ts`): each gets damaged inputs, made out of a seed and of what is kept in
 * `corpus/`. It fails at an exception that is not the parser's own, at what is taken though it is damaged, and at what
 * takes too much time or memory. `--seed` and `--only` do one case again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../support/runner/postgres.ts';
import { startServer } from '../support/server-process.ts';
import { fuzzBodies } from './bodies/run-bodies.ts';
import { fuzzGraphql } from './graphql/run-graphql.ts';
import { fuzzParsers, PARSERS } from './parsers/run-parsers.ts';
import { fuzzSshServer } from './ssh-server/run-ssh-server.ts';

const SCHEMATHESIS = '4.32.5';
const TOKEN = 'glpat-fuzz-test-token-000000';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** A machine that is busy with others answers late. */
const REQUEST_SECONDS = '120';
/** What the start and the end of schemathesis may take beside its minutes. */
const BESIDE_MS = 180_000;

const here = import.meta.dirname;
const cache = resolve(here, '../../node_modules/.cache/fuzz');
const { values: options, positionals: names } = parseArgs({
  options: {
    sqlite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '6' },
    examples: { type: 'string', default: '5' },
    seed: { type: 'string' },
    cases: { type: 'string' },
    only: { type: 'string' },
    phases: { type: 'string', default: 'examples,coverage,fuzzing' },
    workers: { type: 'string', default: '4' },
    path: { type: 'string' },
    log: { type: 'string' },
    events: { type: 'string' },
  },
  allowPositionals: true,
});
/** Bodies that `bodies` sends where `--cases` is left out. */
const BODIES = 500;
/** Questions that `graphql` asks where `--cases` is left out. */
const QUESTIONS = 200;
/** Waves of connections of `ssh-server`. */
const WAVES = 50;
const isSelected = (name: string) => names.length === 0 || names.includes(name);
const numberIn = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** Brings schemathesis onto the machine, once for each version. @returns its program */
function install(): string {
  const folder = join(cache, `schemathesis-${SCHEMATHESIS}`);
  const program = join(folder, 'bin/schemathesis');
  if (existsSync(program)) return program;
  const steps: [string, string[]][] = [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${SCHEMATHESIS}`]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  }
  return program;
}

interface Outcome {
  requests: number;
  failed: boolean;
}

/** One run against a new server. */
async function fuzz(name: string, settings: Record<string, string>): Promise<Outcome> {
  const seed = options.seed ?? String(Date.now() % 2 ** 31);
  const seconds = Math.ceil(Number(options.minutes) * 60);
  process.stdout.write(`${name}: ${options.minutes} minutes, seed ${seed}\n`);
  const dataDir = await mkdtemp(join(tmpdir(), 'stithy-fuzz-'));
  const server = await startServer({
    dataDir,
    settings: { STITHY_ROOT_TOKEN: TOKEN, STITHY_SYNC: 'off', ...settings },
    ...(options.log === undefined ? {} : { logFile: `${options.log}.${name}` }),
  });
  try {
    const args = [
      'run',
      `${server.url}/api/v4/openapi.json`,
      '--checks',
      CHECKS.join(','),
      '--phases',
      options.phases,
      '--workers',
      options.workers,
      '--max-examples',
      options.examples,
      '--request-timeout',
      REQUEST_SECONDS,
      '--max-time',
      String(seconds),
      '--seed',
      seed,
      '--no-shrink',
      '--continue-on-failure',
      '--warnings',
      'off',
      '--generation-database',
      'none',
      '--suppress-health-check',
      'all',
      ...(options.events === undefined ? [] : ['--report-ndjson-path', resolve(`${options.events}.${name}`)]),
      ...(options.path === undefined ? [] : ['--include-path-regex', options.path]),
    ];
    // Who sends the requests is said by the hooks.
    await writeFile(join(dataDir, 'schemathesis.toml'), '[auth]\nauto-signup = false\n');
    const report = join(dataDir, 'fuzz.json');
    const child = spawn(install(), args, {
      stdio: 'inherit',
      cwd: dataDir,
      timeout: seconds * 1_000 + BESIDE_MS,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: dataDir,
        SCHEMATHESIS_HOOKS: join(here, 'hooks.py'),
        STITHY_URL: server.url,
        STITHY_TOKEN: TOKEN,
        STITHY_FUZZ_REPORT: report,
        STITHY_FUZZ_SEED: seed,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    });
    const [code] = (await once(child, 'close')) as [number | null];
    const { requests } = JSON.parse(await readFile(report, 'utf8')) as { requests: number };
    process.stdout.write(`${name}: ${requests} requests\n`);
    return { requests, failed: code !== 0 };
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Hostile questions in GraphQL, asked of a server in this process. @param url of PostgreSQL; empty for SQLite */
async function questions(name: string, url: string): Promise<Outcome> {
  process.env.STITHY_TEST_POSTGRES = url;
  const { requests, failures } = await fuzzGraphql(numberIn(options.seed) ?? 1, numberIn(options.cases) ?? QUESTIONS);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  process.stdout.write(`${name}: ${requests} questions in GraphQL, ${failures.length} failures\n`);
  return { requests, failed: failures.length > 0 };
}

/** Clients of SSH that never sign in, at a server in this process. @param url as of `questions` */
async function sshServer(name: string, url: string): Promise<Outcome> {
  process.env.STITHY_TEST_POSTGRES = url;
  const waves = numberIn(options.cases) ?? WAVES;
  const failures = await fuzzSshServer(numberIn(options.seed) ?? 1, waves);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  process.stdout.write(`${name}: ${waves} waves of connections over SSH, ${failures.length} failures\n`);
  return { requests: waves, failed: failures.length > 0 };
}

/** Bodies of too many keys and parts, sent to a server in this process. @param url as of `questions` */
async function bodies(name: string, url: string): Promise<Outcome> {
  process.env.STITHY_TEST_POSTGRES = url;
  const count = numberIn(options.cases) ?? BODIES;
  const failures = await fuzzBodies(numberIn(options.seed) ?? 1, count);
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  process.stdout.write(`${name}: ${count} bodies, ${failures.length} failures\n`);
  return { requests: count, failed: failures.length > 0 };
}

/** What runs on both databases, by its name. */
const ON_DATABASES = {
  api: (name: string, url: string) => fuzz(name, url === '' ? {} : { STITHY_DATABASE_URL: url }),
  bodies,
  graphql: questions,
  'ssh-server': sshServer,
};

/** @returns whether nothing was found */
async function fuzzOnDatabases(): Promise<boolean> {
  const both = options.sqlite === options.postgres;
  const parts = Object.entries(ON_DATABASES).flatMap(([name, run]) => (isSelected(name) ? [run] : []));
  if (parts.length === 0) return true;
  const outcomes: Outcome[] = [];
  if (both || options.sqlite) for (const run of parts) outcomes.push(await run('SQLite', ''));
  if (both || options.postgres) {
    const database = await startPostgres();
    try {
      for (const run of parts) outcomes.push(await run('PostgreSQL', database.url));
    } finally {
      await database.stop();
    }
  }
  const requests = outcomes.reduce((sum, outcome) => sum + outcome.requests, 0);
  const failed = outcomes.some((outcome) => outcome.failed);
  process.stdout.write(`${requests} requests, ${failed ? 'with failures' : 'no failures'}\n`);
  return !failed;
}

const known = [...Object.keys(ON_DATABASES), ...PARSERS];
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) throw new Error(`There is no ${unknown}: ${known.join(', ')}.`);
const [cases, seed, only] = [options.cases, options.seed, options.only].map(numberIn);
if (!(await fuzzParsers(isSelected, { cases, seed, only }))) process.exitCode = 1;
if (!(await fuzzOnDatabases())) process.exitCode = 1;
