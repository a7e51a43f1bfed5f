import { checkOids } from './arguments.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';
import { STATS_COMMAND } from './stats-reader.ts';

/** Lines added and removed; binary files count for nothing. */
export interface DiffStats {
  additions: number;
  deletions: number;
}

const TIMEOUT_MS = 60_000;
const NONE: DiffStats = Object.freeze({ additions: 0, deletions: 0 });
const known = new ResultCache<DiffStats>(2 * 1024 * 1024, () => 48);
const OID = /^[0-9a-f]{40,64}$/;
const ADDITIONS = /(\d+) insertion/;
const DELETIONS = /(\d+) deletion/;

const parseShortStat = (line: string): DiffStats => ({
  additions: Number(ADDITIONS.exec(line)?.[1] ?? 0),
  deletions: Number(DELETIONS.exec(line)?.[1] ?? 0),
});

async function readStats(repo: Repository, oids: readonly string[]): Promise<Map<string, DiffStats>> {
  const found = new Map(oids.map((oid) => [oid, NONE]));
  let current = '';
  const input = oids.map((oid) => `${oid}\n`).join('');
  await readRecords(STATS_COMMAND, { gitDir: repo.dir, input, timeoutMs: TIMEOUT_MS }, (record) => {
    const line = record.toString('latin1');
    if (OID.test(line)) current = line;
    else if (line !== '') found.set(current, parseShortStat(line));
  });
  return found;
}

/**
 * The stats of many commits by one git command, each against its first parent. Serves `with_stats` of the commit list.
 * @throws GitError `invalid` where an id is not complete, `timeout` after a minute
 */
export async function statsOf(repo: Repository, oids: readonly string[]): Promise<Map<string, DiffStats>> {
  checkOids(oids);
  const result = new Map<string, DiffStats>();
  const missing: string[] = [];
  for (const oid of new Set(oids)) {
    const stats = known.peek(cacheKey(repo.id, oid));
    if (stats === undefined) missing.push(oid);
    else result.set(oid, stats);
  }
  if (missing.length === 0) return result;
  for (const [oid, stats] of await readStats(repo, missing)) {
    known.put(cacheKey(repo.id, oid), stats);
    result.set(oid, stats);
  }
  return result;
}

/**
 * The stats of one commit, by the repository's warm process; serves `stats` of
 * `GET /projects/:id/repository/commits/:sha`.
 * @throws GitError as `statsOf` does, `busy`, `failed`
 */
export async function commitStats(repo: Repository, oid: string): Promise<DiffStats> {
  checkOids([oid]);
  return await known.get(cacheKey(repo.id, oid), async () => parseShortStat(await repo.stats.read(oid)));
}
