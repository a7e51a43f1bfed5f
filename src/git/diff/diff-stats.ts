import { cacheKey, checkOids, GitError, ResultCache } from '../common/index.ts';
import type { DiffStats } from '../line-diff/index.ts';
import {
  COMPARE_CHILD_MEMORY,
  MAX_STATS_LINE,
  readRecords,
  ShortStats,
  STATS_COMMAND,
  STATS_CPU_MS,
} from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { nativeStats } from './native-stats.ts';

export type { DiffStats };

/** Errors of a reused process with too little memory. A separate process may use more. */
const TOO_MUCH: ReadonlySet<string> = new Set(['failed', 'output_too_large']);
const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });
const known = new ResultCache<DiffStats>('git_diff_stats', () => 48);

async function readStats(repo: Repository, oids: readonly string[]): Promise<Map<string, DiffStats>> {
  const printed = new ShortStats();
  try {
    const onLine = (bytes: Buffer, start: number, end: number) => printed.take(bytes.toString('latin1', start, end));
    await repo.stats.ask({ lines: oids, onLine, maxRecord: MAX_STATS_LINE, cpuMs: STATS_CPU_MS });
  } catch (error) {
    if (!(error instanceof GitError) || !TOO_MUCH.has(error.code)) throw error;
    const input = oids.map((oid) => `${oid}\n`).join('');
    const onRecord = (record: Buffer) => printed.take(record.toString('latin1'));
    const limits = { cpuMs: STATS_CPU_MS, memory: COMPARE_CHILD_MEMORY };
    await readRecords(STATS_COMMAND, { gitDir: repo.dir, input, ...limits }, onRecord);
  }
  return new Map(oids.map((oid) => [oid, printed.stats.get(oid) ?? NONE]));
}

/**
 * Line counts of many commits, each against its first parent: from the stats index, else from a reused process. Serves
 * `with_stats` of the commit list.
 * @throws GitError `invalid` for an incomplete id, `timeout` after 30 seconds, `busy`, `failed`
 */
export async function statsOf(repo: Repository, oids: readonly string[]): Promise<Map<string, DiffStats>> {
  checkOids(oids);
  const result = await repo.history.stats(oids);
  const missing: string[] = [];
  for (const oid of new Set(oids)) {
    if (result.has(oid)) continue;
    const stats = known.peek(cacheKey(repo.key, oid));
    if (stats === undefined) missing.push(oid);
    else result.set(oid, stats);
  }
  if (missing.length === 0) return result;
  for (const [oid, stats] of await readStats(repo, missing)) {
    known.put(cacheKey(repo.key, oid), stats);
    result.set(oid, stats);
  }
  return result;
}

/**
 * Line counts of one commit. Serves `stats` of `GET /projects/:id/repository/commits/:sha`.
 * @throws GitError as `statsOf`
 */
export async function commitStats(repo: Repository, oid: string): Promise<DiffStats> {
  checkOids([oid]);
  const indexed = (await repo.history.stats([oid])).get(oid);
  return indexed ?? (await notIndexed(repo, oid));
}

/**
 * Line counts of a new commit, which no index contains yet.
 * @throws GitError as `statsOf`
 */
export async function statsOfNew(repo: Repository, oid: string): Promise<DiffStats> {
  checkOids([oid]);
  return await notIndexed(repo, oid);
}

const notIndexed = (repo: Repository, oid: string): Promise<DiffStats> =>
  known.get(
    cacheKey(repo.key, oid),
    async () => (await nativeStats(repo, oid)) ?? (await readStats(repo, [oid])).get(oid)!,
  );
