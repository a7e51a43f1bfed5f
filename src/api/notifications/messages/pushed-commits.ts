import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { commitsBetween } from '../../../git/history/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { type Block, lines } from '../mails/notification-mails.block.ts';

/** Maximum number of commits in a mail. */
const MAX_LISTED = 20;
const MAX_TITLE = 200;

/** A block with the commits of a push, oldest first; empty if they no longer exist. */
export async function pushedCommits(
  deps: Deps,
  project: Project,
  before: string | null,
  head: string,
): Promise<Block[]> {
  try {
    const { commits, total } = await commitsBetween(repositoryOf(deps, project), head, before, MAX_LISTED);
    if (commits.length === 0) return [];
    const listed = commits.map(({ oid, message }) => {
      const [title = ''] = message.split('\n');
      return `${oid.slice(0, 8)} ${title.slice(0, MAX_TITLE)}`;
    });
    return [lines(total > listed.length ? [...listed, `and ${total - listed.length} more`] : listed)];
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
}
