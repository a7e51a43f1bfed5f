import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { Busy } from '../../core/busy.ts';
import type { Deps } from '../../deps.ts';
import { isWritingGraphs } from '../../git/commit-graph/index.ts';
import { isServing } from '../../git/transport/index.ts';
import type { SshServer } from '../../git-server/ssh/ssh-server.server.ts';
import type { Gate } from './gate.ts';

/** How long requests and jobs under way may go on, in milliseconds, and how long they may take to notice their end. */
const WORK_MS = 5_000;
const GRACE_MS = 5_000;
/** Turns of the event loop in which most work ends, before the wait becomes one of milliseconds. */
const TURNS = 20;

/** What has to rest before data is copied or replaced. */
export interface Quiesced {
  deps: Deps;
  gate: Gate;
  ssh: Pick<SshServer, 'disconnect'> | null;
}

async function until(rests: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (let turns = 0; !rests(); turns += 1) {
    if (performance.now() > end) return false;
    await (turns < TURNS ? nextTurn() : pause(1));
  }
  return true;
}

/**
 * Closes the gate and waits until nothing reads or writes data: requests and jobs end, long polls at once. What is still
 * under way after five seconds is cut off.
 * @param replaces whether the data will be replaced, so that the upkeep of repositories need not be completed
 * @throws Busy if something does not end; everything then goes on as before
 */
export async function quiesce(parts: Quiesced, replaces: boolean): Promise<void> {
  const { deps, gate, ssh } = parts;
  const { jobs, longPolls, writes, storages } = deps;
  const folders = storages.list.map(({ path }) => path);
  gate.close();
  try {
    const deadline = AbortSignal.timeout(WORK_MS);
    const pausing = jobs.pause(deadline);
    const requestsEnded = () => {
      // A request that was admitted may begin to wait later.
      longPolls.endAll();
      return !gate.isBusy && writes.size === 0;
    };
    if (!(await until(requestsEnded, WORK_MS))) {
      gate.cutOff();
      ssh?.disconnect();
    }
    const jobsEnded = await pausing;
    if (replaces) storages.pool.forget();
    const rests = () => requestsEnded() && !isWritingGraphs(folders) && !isServing(folders);
    if (!(await until(rests, GRACE_MS))) storages.pool.forget();
    if (jobsEnded && (await until(() => rests() && gate.seal(), GRACE_MS))) return;
    throw new Busy(503, '503 Service Unavailable - requests or jobs under way do not end', 5);
  } catch (error) {
    resumeAll(parts);
    throw error;
  }
}

/** Lets everything go on after `quiesce`. */
export function resumeAll({ deps, gate }: Pick<Quiesced, 'deps' | 'gate'>): void {
  gate.open();
  deps.jobs.resume();
}
