/** Runs test files one after the other in this process, as `pool.ts` hands them over. */
import { on } from 'node:events';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { releaseAll } from '../../../src/core/idle-memory.ts';
import { startSpawner, useGitConfig } from '../../../src/git/process/index.ts';
import { spawnerPid } from '../../../src/git/process/spawner/start-child.ts';
import { usesSpawner } from './files.ts';
import type { FromWorker, Order } from './messages.ts';
import { describeError } from './report.ts';
import { answerReservedNames } from './reserved-names.ts';
import { livingTimers, watchTimers } from './timers.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const GIT_CONFIG = join(tmpdir(), `stithy-git-${process.pid}`);
/** How often it is looked whether what a file has left open is gone, in milliseconds. */
const STEP_MS = 5;

const say = (message: FromWorker): unknown => process.send?.(message);

/** Errors that reached nobody. Node's runner hears of them, too, and gives those to their test that it can. */
const stray: unknown[] = [];
process.on('uncaughtException', (error) => stray.push(error));
process.on('unhandledRejection', (reason) => stray.push(reason));

watchTimers();
answerReservedNames();

/** What keeps the process alive, by kind: `TCPServerWrap 1`. */
function held(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** What is open now and how much of it was before: `2 TCPServerWrap (1 before)`. Of timers it says where they were set. */
function describe(
  before: ReadonlyMap<string, number>,
  more: readonly (readonly [kind: string, count: number])[],
): string {
  const kinds = more.map(([kind, count]) => `${count} ${kind} (${before.get(kind) ?? 0} before)`).join(', ');
  return more.some(([kind]) => kind === 'Timeout') ? [kinds, ...livingTimers()].join('\n') : kinds;
}

/** Waits until nothing more is open than before the file; a process of its own would not have ended. */
async function leftOpen(before: ReadonlyMap<string, number>, patienceMs: number): Promise<string | null> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const more = [...held()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0) return null;
    if (Date.now() > deadline) return `It left open: ${describe(before, more)}`;
    await wait(STEP_MS, undefined, { ref: false });
  }
}

/** Node's runner sets the exit code for an error that came after its test had ended. */
function strayErrors(): string | null {
  const errors = stray.splice(0);
  if (process.exitCode === undefined) return null;
  process.exitCode = undefined;
  return `An error came when its test had ended, or from no test:\n${errors.map(describeError).join('\n')}`;
}

const runs = new Map<string, number>();
let stopSpawner: (() => void) | undefined;

/** Runs a spawner, as a server that serves does: a process that holds the whole of it forks slowly. */
async function useSpawner(isUsed: boolean): Promise<void> {
  if (!isUsed) {
    stopSpawner?.();
    stopSpawner = undefined;
    return;
  }
  stopSpawner ??= startSpawner(() => {});
  while (spawnerPid() === null) await wait(STEP_MS);
}

async function run({ file, env, patienceMs }: Order): Promise<void> {
  await useSpawner(usesSpawner(ROOT, file));
  const environment = { ...process.env };
  Object.assign(process.env, env);
  // That of the file before went with its server.
  useGitConfig(GIT_CONFIG);
  const before = held();
  // The same file may come again, for the other database. Compiled code is kept by this address.
  const turn = (runs.get(file) ?? 0) + 1;
  runs.set(file, turn);
  const url = `${pathToFileURL(resolve(ROOT, file))}?${turn}`;
  await suite(file, async () => {
    await import(url);
  });
  const text = [await leftOpen(before, patienceMs), strayErrors()].filter((part) => part !== null).join('\n');
  // What the caches still hold of closed servers would take up the budget of the next file.
  releaseAll();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  say({ kind: 'quiet', text: text === '' ? null : text, heap: process.memoryUsage().heapUsed });
}

for await (const [task] of on(process, 'message') as AsyncIterable<[Order]>) await run(task);
