import { LRUCache } from 'lru-cache';
import { checkOids } from './arguments.ts';
import { decodeText } from './git.bytes.ts';
import { isAncestor } from './git.compare.ts';
import type { Repository } from './git.repository.ts';
import { readRecords } from './records.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export interface Contributor {
  /** The name of the newest commit with this address. */
  name: string;
  email: string;
  commits: number;
  /** When the newest of them was committed, in seconds. */
  date: number;
}

const CPU_MS = 120_000;
const MAX_CONTRIBUTORS = 100_000;
const NUL = 0;
const UNIT = 0x1f;
const results = new ResultCache<readonly Contributor[]>(
  4 * 1024 * 1024,
  (all) => all.reduce((sum, { name, email }) => sum + 2 * (name.length + email.length) + 100, 0),
  true,
);
/** The commit that was asked for last, by repository. */
const latest = new LRUCache<string, string>({ max: 1_000 });

/**
 * The authors of the commits that a commit reaches, merges left out, one for each address; who committed last comes
 * first. Serves `GET /projects/:id/repository/contributors`; after 100,000 addresses further ones are left out. Where what was
 * asked for last is part of the history, only what came since is counted.
 * @throws GitError `invalid` for an incomplete id, `failed` where it is not in the repository, `timeout` after 2 minutes
 */
export async function listContributors(repo: Repository, commit: string): Promise<readonly Contributor[]> {
  checkOids([commit]);
  const all = await results.get(cacheKey(repo.id, commit), async () => {
    const before = latest.get(repo.id);
    const kept = before === undefined ? undefined : results.peek(cacheKey(repo.id, before));
    const isLater = kept !== undefined && (await isAncestor(repo, before!, commit));
    return isLater ? await count(repo, [commit, `^${before}`], kept) : await count(repo, [commit], []);
  });
  latest.set(repo.id, commit);
  return all;
}

/** Adds the authors of some commits to those of others. */
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
      // Of names of the same second always the same one, whichever is read first.
      if (date > known.date || (date === known.date && name < known.name)) Object.assign(known, { name, date });
    },
  );
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...byEmail.values()].sort((a, b) => b.date - a.date || byText(a.email, b.email));
}
