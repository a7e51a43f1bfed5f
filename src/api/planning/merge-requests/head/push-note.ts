import { escapeHtml } from '../../../../core/html.ts';
import { GitError } from '../../../../git/common/index.ts';
import { countCommits, listCommits } from '../../../../git/history/index.ts';
import type { Repository } from '../../../../git/repository/index.ts';

/** Maximum number of commits to list. */
const MAX_NAMED = 10;

/**
 * System note text about a push to the source branch: `added 2 commits`, with a line for each.
 * @param old previous head; null if the branch did not exist
 */
export async function describePush(repo: Repository, old: string | null, head: string): Promise<string> {
  const not = old !== null && (await repo.objects.info(old)) !== null ? [old] : [];
  try {
    const named = await listCommits(repo, { from: [head], not, limit: MAX_NAMED });
    const count = named.length < MAX_NAMED ? named.length : await countCommits(repo, [head], { not });
    const commits = await Promise.all(named.toReversed().map((oid) => repo.objects.commit(oid)));
    const lines = commits.flatMap((commit) => {
      if (commit === null) return [];
      const title = commit.message.split('\n', 1)[0]!.slice(0, 255);
      return `<li>${commit.oid.slice(0, 8)} - ${escapeHtml(title)}</li>`;
    });
    if (count > lines.length) lines.unshift(`<li>...</li>`);
    const list = lines.length === 0 ? '' : `\n\n<ul>${lines.join('')}</ul>`;
    return `added ${count} commit${count === 1 ? '' : 's'}${list}`;
  } catch (error) {
    // The push itself is done: an unreadable history must not fail it.
    if (error instanceof GitError) return `moved the head to ${head.slice(0, 8)}`;
    throw error;
  }
}
