import { EntryCache } from '../../core/cache/index.ts';
import { cacheKey, checkOids, decodeText, ResultCache } from '../common/index.ts';
import { readRecords } from '../process/index.ts';
import type { Repository } from '../repository/index.ts';
import { isAncestor } from './git.compare.ts';

export interface Contributor {
  /** Name in the newest commit with this address. */
  name: string;
  email: string;
  commits: number;
  /** Date of the newest commit in seconds. */
  date: number;
}

const CPU_MS = 120_000;
const MAX_CONTRIBUTORS = 100_000;
const NUL = 0;
const UNIT = 0x1f;
const results = new ResultCache<readonly Contributor[]>('git_contributors', (all) =>
  all.reduce((sum, { name, email }) => sum + 2 * (name.length + email.length) + 100, 0),
);
/** The last requested commit, by repository. */
const latest = new EntryCache<string, string>('git_latest_contributors');

/**
 * Authors of the commits reachable from a commit, without merges, one entry for each address, most recent first. Serves
 * `GET /projects/:id/repository/contributors`; omits addresses beyond 100,000. If the last requested commit is in the
 * history, only newer commits are counted.
 * @throws GitError `invalid` for an incomplete id, `failed` if it does not exist, `timeout` after 2 minutes
 */
export async function listContributors(repo: Repository, commit: string): Promise<readonly Contributor[]> {
  checkOids([commit]);
  const all = await results.get(cacheKey(repo.key, commit), async () => {
    const before = latest.get(repo.key);
    const cached = before === undefined ? undefined : results.peek(cacheKey(repo.key, before));
    const isLater = cached !== undefined && (await isAncestor(repo, before!, commit));
    return isLater ? await count(repo, [commit, `^${before}`], cached) : await count(repo, [commit], []);
  });
  latest.set(repo.key, commit);
  return all;
}

/** Adds the authors of further commits to a result. */
async function count(
  repo: Repository,
  range: readonly string[],
  others: readonly Contributor[],
): Promise<Contributor[]> {
  const byEmail = new Map(others.map((one) => [one.email, { ...one }]));
  await readRecords(
    [
      'log',
      '-z',
      '--no-merges',
      '--no-show-signature',
      '--format=tformat:%ct%x1f%ae%x1f%an',
      '--end-of-options',
      ...range,
      '--',
    ],
    {
      gitDir: repo.dir,
      separator: NUL,
      cpuMs: CPU_MS,
      maxRecord: 8_192,
      maxOutput: Number.POSITIVE_INFINITY,
    },
    (record) => {
      const first = record.indexOf(UNIT);
      const second = record.indexOf(UNIT, first + 1);
      const date = Number(record.toString('latin1', 0, first));
      const email = decodeText(record.subarray(first + 1, second));
      const name = decodeText(record.subarray(second + 1));
      const known = byEmail.get(email);
      if (known === undefined) {
        if (byEmail.size < MAX_CONTRIBUTORS) byEmail.set(email, { name, email, commits: 1, date });
        return;
      }
      known.commits += 1;
      // Deterministic for names with the same date.
      if (date > known.date || (date === known.date && name < known.name)) Object.assign(known, { name, date });
    },
  );
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...byEmail.values()].sort((a, b) => b.date - a.date || byText(a.email, b.email));
}
