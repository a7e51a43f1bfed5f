import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Figure } from '../figures.ts';
import { median } from '../git.ts';
import type { BenchServer } from '../server.ts';
import { Asker, percentile } from './ask.ts';

const CONNECTIONS = 64;
const askers = new WeakMap<BenchServer, Asker>();

/** Calls that must succeed. @returns milliseconds */
async function call(server: BenchServer, path: string, body: object): Promise<{ ms: number; json: { id: number } }> {
  const asker = askers.get(server) ?? new Asker(`${server.url}/api/v4/`, CONNECTIONS);
  askers.set(server, asker);
  const { status, ms, text } = await asker.post(path, body);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  return { ms, json: JSON.parse(text) as { id: number } };
}

/** One commit of one new file. */
export const commitOne = (server: BenchServer, project: number, branch: string, name: string) =>
  call(server, `projects/${project}/repository/commits`, {
    branch,
    commit_message: `Add ${name}`,
    actions: [{ action: 'create', file_path: `bench/${name}`, content: `content of ${name}\n` }],
  });

/** Milliseconds that an fsync of a small new piece of a file takes here. */
async function fsyncMs(folder: string): Promise<number> {
  const path = join(folder, 'fsync');
  const file = await open(path, 'w');
  const times: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    await file.write(Buffer.alloc(4_096, n));
    const started = performance.now();
    await file.sync();
    times.push(performance.now() - started);
  }
  await file.close();
  await rm(path);
  return median(times);
}

/** Puts a `git` before the one of the path that notes each start. @returns the path to start the server with, and the count so far */
export async function countedGit(folder: string): Promise<{ path: string; count: () => Promise<number> }> {
  const bin = join(folder, 'counted-git');
  const log = join(bin, 'starts');
  await mkdir(bin, { recursive: true });
  await writeFile(log, '');
  const real = (process.env.PATH ?? '').split(delimiter);
  await writeFile(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${real.join(delimiter)}' exec git "$@"\n`);
  await chmod(join(bin, 'git'), 0o755);
  const path = [bin, ...real].join(delimiter);
  return { path, count: async () => (await readFile(log, 'utf8')).split('\n').length - 1 };
}

const WARM = 20;
const COMMITS = 400;
/** So long nothing was started and nothing ran, in milliseconds: then what was left to do of earlier commits is done. */
const QUIET_MS = 3_000;

/** Whether any git runs on the machine, as far as that can be told. */
async function gitRuns(): Promise<boolean> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const names = await Promise.all(processes.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return names.includes('git\n');
}

/** Waits until the upkeep of the repository is over, which may pack for long without starting anything. */
export async function untilQuiet(started: () => Promise<number>): Promise<void> {
  for (let before = -1, now = await started(); now !== before || (await gitRuns()); now = await started()) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  }
}

/** One-file commits, one after the other: processes that they start, and how long they take beside an fsync. */
export async function oneAfterTheOther(
  server: BenchServer,
  folder: string,
  started: () => Promise<number>,
): Promise<Figure[]> {
  await untilQuiet(started);
  const fsync = await fsyncMs(folder);
  const times: number[] = [];
  let before = 0;
  for (let n = 0; n < WARM + COMMITS; n += 1) {
    if (n === WARM) before = await started();
    const { ms } = await commitOne(server, 1, 'main', `one-${n}`);
    if (n >= WARM) times.push(ms);
  }
  const processes = ((await started()) - before) / COMMITS;
  const p50 = median(times);
  return [
    {
      name: 'one-file API commit: git processes started',
      measured: `${processes.toFixed(2)} a commit`,
      value: processes,
      limit: 0,
      better: 'less',
    },
    {
      name: 'one-file API commit: p50, limit 12 fsyncs and 5 ms',
      measured: `${p50.toFixed(1)} ms (p95 ${percentile(times, 95).toFixed(1)} ms, an fsync ${fsync.toFixed(2)} ms)`,
      value: p50,
      limit: Number((12 * fsync + 5).toFixed(1)),
      better: 'less',
    },
  ];
}

const WRITERS = 4;
const SECONDS = 6;

/** Writers to projects of their own: how much more they get done than one. */
export async function besideEachOther(server: BenchServer): Promise<Figure> {
  const projects: number[] = [];
  for (let n = 0; n < WRITERS; n += 1) {
    const { json } = await call(server, 'projects', { name: `writer-${n}`, initialize_with_readme: true });
    projects.push(json.id);
  }
  let name = 0;
  const run = async (writers: number): Promise<number> => {
    const end = performance.now() + SECONDS * 1_000;
    let done = 0;
    await Promise.all(
      projects.slice(0, writers).map(async (project) => {
        while (performance.now() < end) {
          name += 1;
          await commitOne(server, project, 'main', `beside-${name}`);
          done += 1;
        }
      }),
    );
    return done / SECONDS;
  };
  await run(WRITERS);
  const one = await run(1);
  const all = await run(WRITERS);
  return {
    name: `API commits of ${WRITERS} writers to ${WRITERS} projects, against one writer`,
    measured: `${(all / one).toFixed(2)} x (${all.toFixed(0)} and ${one.toFixed(0)} a second)`,
    value: all / one,
    limit: 3,
    better: 'more',
  };
}
