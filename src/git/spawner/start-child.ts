import { setTimeout as wait } from 'node:timers/promises';
import { type Child, SpawnedChild } from './child.ts';
import { spawnDirectly } from './spawn-directly.ts';
import { type ChildPlan, Spawner } from './spawner.ts';

/** Milliseconds until a spawner that ended is replaced; each failure in a row doubles them. */
const AGAIN_MS = 100;
const MAX_RETRY_MS = 30_000;

let current: Spawner | null = null;

/**
 * Starts a child in a process group of its own: by the spawner where one runs, else out of this process. What the spawner
 * cannot start has no `pid`, and tells by `error`.
 * @throws Error where this process cannot start it: with the code of the system, or `EAGAIN`
 */
export function startChild(plan: ChildPlan): Child {
  if (current !== null && !current.ended) return current.child(plan);
  const { command, args, cwd, env, pipes } = plan;
  const stdio = Array.from({ length: pipes }, () => 'pipe' as const);
  return spawnDirectly(command, args, { stdio, cwd, env, detached: true });
}

/** Fulfils when a child runs. @throws Error where it could not be started */
export async function whenStarted(child: Child): Promise<void> {
  if (child instanceof SpawnedChild) await child.started;
}

/** Signals a child together with everything that it started. */
export function signalGroup(child: Child, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child instanceof SpawnedChild) {
    child.signalGroup(signal);
    return;
  }
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone.
  }
}

/** Those who want a spawner, and what ends it. */
let keepers = 0;
let letGo: (() => void) | undefined;

/**
 * Keeps a spawner: a small process that starts children for this one, which blocks for as long as its memory is large
 * when it forks. Until it is there, and while it is replaced, children are started out of this process.
 * @param onDeath told when it ended by itself
 * @returns ends it, where nobody else wants one; to be called when nothing runs any more
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

/** The process id of the spawner that starts children at the moment; null where none does. */
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
