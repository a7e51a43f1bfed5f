import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWholeGraph } from '../commit-graph/index.ts';
import { GitError, KeyedQueue } from '../common/index.ts';
import { isMissing, removeStaleLocks, syncPath } from '../files/index.ts';
import { runLowPriority } from '../process/index.ts';
import type { Repository } from './git.repository.ts';

export type MaintainedRepository = Pick<Repository, 'dir'>;

export interface MaintenanceLimits {
  /** Number of loose objects and packs above which they are packed; default 2,000 and 20. */
  looseObjects?: number;
  packs?: number;
  /** Number of loose refs above which they are packed; default 500. */
  looseRefs?: number;
}

export interface MaintenanceResult {
  packedRefs: boolean;
  repacked: boolean;
}

const DAY = 24 * 3_600_000;
const MAX_WAITING = 10_000;

/** One repository at a time in this process, so that requests are not slowed down. */
const queue = new KeyedQueue({ maxWaiting: MAX_WAITING });
/** By the directory of the repository. */
const waiting = new Map<string, Promise<MaintenanceResult>>();

/**
 * Keeps a repository fast after writes, in the background. It deletes no object: packs are combined with all their
 * objects, reachable or not. Reads and writes can continue. Calls during the wait for an earlier one share its result.
 * @param limits thresholds for loose objects, packs and loose refs
 * @throws GitError `failed`, `timeout`; `busy` if too many repositories wait
 */
export function maintain({ dir }: MaintainedRepository, limits: MaintenanceLimits = {}): Promise<MaintenanceResult> {
  const shared = waiting.get(dir);
  if (shared) return shared;
  const result = queue.run('', () => {
    waiting.delete(dir);
    return maintainNow(dir, limits);
  });
  waiting.set(dir, result);
  result.catch(() => {}).finally(() => waiting.get(dir) === result && waiting.delete(dir));
  return result;
}

async function maintainNow(dir: string, limits: MaintenanceLimits): Promise<MaintenanceResult> {
  await removeStaleLocks(dir, new Date(Date.now() - DAY));
  const packedRefs = (await looseRefs(dir)) > (limits.looseRefs ?? 500);
  if (packedRefs) await packRefs(dir);
  const { loose, packs } = await countObjects(dir);
  const repacked = loose > (limits.looseObjects ?? 2_000) || packs > (limits.packs ?? 20);
  if (repacked) await repack(dir);
  // Always last: it only adds new commits, which speeds up every history query.
  await writeWholeGraph(dir);
  return { packedRefs, repacked };
}

/** The packed file is durable before the first loose ref is removed. */
async function packRefs(dir: string): Promise<void> {
  await runLowPriority(dir, ['pack-refs', '--all', '--no-prune']);
  await syncPath(dir);
  await runLowPriority(dir, ['pack-refs', '--all', '--prune']);
}

/**
 * Combines packs geometrically, each at least twice the size of the next smaller one, so that large packs are seldom
 * rewritten.
 */
async function repack(dir: string): Promise<void> {
  const command = ['repack', '-d', '-l', '-q', '--geometric=2', '--write-midx'];
  try {
    await runLowPriority(dir, [...command, '--write-bitmap-index']);
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== 'failed') throw error;
    // A concurrent push can leave the bitmap without a required object. The packs matter more.
    await runLowPriority(dir, command);
  }
}

async function entriesOf(dir: string, recursive = false): Promise<Dirent[]> {
  try {
    return await readdir(dir, { withFileTypes: true, recursive });
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function looseRefs(dir: string): Promise<number> {
  return (await entriesOf(join(dir, 'refs'), true)).filter((entry) => entry.isFile()).length;
}

async function countObjects(dir: string): Promise<{ loose: number; packs: number }> {
  const objects = join(dir, 'objects');
  const fanOut = (await entriesOf(objects)).filter(({ name }) => /^[0-9a-f]{2}$/.test(name));
  let loose = 0;
  for (const { name } of fanOut) loose += (await entriesOf(join(objects, name))).length;
  const packs = (await entriesOf(join(objects, 'pack'))).filter(({ name }) => name.endsWith('.pack')).length;
  return { loose, packs };
}
