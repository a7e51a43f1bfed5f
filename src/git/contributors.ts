import { checkOids } from './arguments.ts';
import { decodeText } from './bytes.ts';
import { readRecords } from './records.ts';
import type { Repository } from './repository.ts';
import { cacheKey, ResultCache } from './result-cache.ts';

export interface Contributor {
  /** The name of the newest commit with this address. */
  name: string;
  email: string;
  commits: number;
}

const TIMEOUT_MS = 120_000;
const MAX_CONTRIBUTORS = 100_000;
const NUL = 0;
const UNIT = 0x1f;
const results = new ResultCache<readonly Contributor[]>(4 * 1024 * 1024, (all) =>
  all.reduce((sum, { name, email }) => sum + 2 * (name.length + email.length) + 80, 0),
);

/**
 * The authors of the commits that a commit reaches, merges left out, one for each address; who committed last comes
 * first. Serves `GET /projects/:id/repository/contributors`; after 100,000 addresses further ones are left out.
 * @throws GitError `invalid` for an incomplete id, `failed` where it is not in the repository, `timeout` after 2 minutes
 */
export async function listContributors(repo: Repository, commit: string): Promise<readonly Contributor[]> {
  checkOids([commit]);
  return await results.get(cacheKey(repo.id, commit), async () => {
    const byEmail = new Map<string, Contributor>();
    await readRecords(
      [
        'log',
        '-z',
        '--no-merges',
        '--no-show-signature',
        '--format=tformat:%ae%x1f%an',
        '--end-of-options',
        commit,
        '--',
      ],
      {
        gitDir: repo.dir,
        separator: NUL,
        timeoutMs: TIMEOUT_MS,
        maxRecord: 8_192,
        maxOutput: Number.POSITIVE_INFINITY,
      },
      (record) => {
        const unit = record.indexOf(UNIT);
        const email = decodeText(record.subarray(0, unit));
        const known = byEmail.get(email);
        if (known !== undefined) known.commits += 1;
        else if (byEmail.size < MAX_CONTRIBUTORS) {
          byEmail.set(email, { name: decodeText(record.subarray(unit + 1)), email, commits: 1 });
        }
      },
    );
    return [...byEmail.values()];
  });
}
