import { checkOids } from './arguments.ts';
import { STATS_COMMAND } from './diff-commands.ts';
import { GitError } from './errors.ts';
import type { DiffStats } from './line-counts.ts';
import { plainStats } from './plain-stats.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export type { DiffStats };

const TIMEOUT_MS = 60_000;
const MAX_LINE = 1_000;
/** How a warm process ends that has too little memory: one that may use more answers then. */
const TOO_MUCH: ReadonlySet<string> = new Set(['failed', 'output_too_large']);
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
  const take = (line: string) => {
    if (OID.test(line)) current = line;
    else if (line !== '') found.set(current, parseShortStat(line));
  };
  try {
    const onLine = (bytes: Buffer, start: number, end: number) => take(bytes.toString('latin1', start, end));
    await repo.stats.ask({ lines: oids, onLine, maxRecord: MAX_LINE, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof GitError) || !TOO_MUCH.has(error.code)) throw error;
    const input = oids.map((oid) => `${oid}\n`).join('');
    const onRecord = (record: Buffer) => take(record.toString('latin1'));
    await readRecords(STATS_COMMAND, { gitDir: repo.dir, input, timeoutMs: TIMEOUT_MS }, onRecord);
  }
  return found;
}

/**
 * The stats of many commits by the repository's warm process, each against its first parent. Serves `with_stats` of the commit list.
 * @throws GitError `invalid` where an id is not complete, `timeout` after a minute, `busy`, `failed`
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
 * The stats of one commit. Serves `stats` of `GET /projects/:id/repository/commits/:sha`.
 * @throws GitError as `statsOf` does
 */
export async function commitStats(repo: Repository, oid: string): Promise<DiffStats> {
  checkOids([oid]);
  return await known.get(cacheKey(repo.id, oid), () => askForStats(repo, oid));
}

/**
 * The stats of a commit that was written just now, whose files are at hand: without git where its way of comparing makes no difference.
 * @throws GitError as `statsOf` does
 */
export async function statsOfNew(repo: Repository, oid: string): Promise<DiffStats> {
  checkOids([oid]);
  return await known.get(cacheKey(repo.id, oid), async () => {
    return (await plainStats(repo, oid, await repo.refs.tip())) ?? (await askForStats(repo, oid));
  });
}

const askForStats = async (repo: Repository, oid: string): Promise<DiffStats> =>
  (await readStats(repo, [oid])).get(oid)!;
