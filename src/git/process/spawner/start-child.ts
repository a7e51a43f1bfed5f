import { setTimeout as wait } from 'node:timers/promises';
import { type Child, SpawnedChild } from './child.ts';
import { spawnDirectly } from './spawn-directly.ts';
import { type ChildPlan, Spawner } from './spawner.ts';

/** Delay in milliseconds before a spawner is replaced; doubled by each consecutive failure. */
const AGAIN_MS = 100;
const MAX_RETRY_MS = 30_000;

let current: Spawner | null = null;

/**
 * Starts a child in its own process group: with the spawner if one is running, else from this process. A child that the
 * spawner cannot start has no `pid` and emits `error`.
 * @throws Error if this process cannot start it: with the code of the system, or `EAGAIN`
 */
export function startChild(plan: ChildPlan): Child {
  if (current !== null && !current.ended) return current.child(plan);
  const { command, args, cwd, env, pipes } = plan;
  const stdio = Array.from({ length: pipes }, () => 'pipe' as const);
  return spawnDirectly(command, args, { stdio, cwd, env, detached: true });
}

/** Fulfils when a child runs. @throws Error if it could not be started */
export async function whenStarted(child: Child): Promise<void> {
  if (child instanceof SpawnedChild) await child.started;
}

/** Signals a child and its process group. */
export function signalGroup(child: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child instanceof SpawnedChild) {
    child.signalGroup(signal);
    return;
  }
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

/** Number of users of the spawner, and the function that ends it. */
let keepers = 0;
let letGo: (() => void) | undefined;

/**
 * Keeps a spawner running: a small process that starts children, since a fork blocks this process in proportion to its
 * memory. Until it is ready, and while it is replaced, children are started from this process.
 * @param onDeath called when it ended by itself
 * @returns a function that ends it once all users have called theirs; to be called when nothing runs any more
 */
export function startSpawner(onDeath: (pid: number) => void): () => void {
  keepers += 1;
  letGo ??= keepOne(onDeath);
  let done = false;
  return () => {
    if (done) return;
    done = true;
    keepers -= 1;
    if (keepers > 0) return;
    letGo?.();
    letGo = undefined;
  };
}

/** Process id of the current spawner; null if there is none. */
export const spawnerPid = (): number | null => (current === null || current.ended ? null : current.pid);

function keepOne(onDeath: (pid: number) => void): () => void {
  let stopped = false;
  let mine: Spawner | null = null;
  const keep = async () => {
    for (let pause = AGAIN_MS; !stopped; pause = Math.min(pause * 2, MAX_RETRY_MS)) {
      const ended = Promise.withResolvers<void>();
      mine = await Spawner.start(ended.resolve).catch(() => null);
      if (stopped) break;
      if (mine !== null) {
        current = mine;
        pause = AGAIN_MS;
        await ended.promise;
        if (!stopped) onDeath(mine.pid);
      }
      await wait(pause, undefined, { ref: false });
    }
    mine?.stop();
  };
  void keep();
  return () => {
    stopped = true;
    if (current === mine) current = null;
    mine?.stop();
  };
}
