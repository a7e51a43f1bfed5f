import type { PushedRef } from '../core/event-payloads.ts';
import type { Project } from '../db/tables/projects.table.ts';
import { GitError } from '../git/git.errors.ts';
import type { Repository } from '../git/git.repository.ts';
import { HEADS } from '../git/ref-folders.ts';
import type { Intent } from './intent.ts';

/**
 * What can be found out of a pushed ref while git can still be asked, so that whoever follows the push knows in its transaction
 * whether there is anything to do. Quick: whoever pushed waits for it.
 */
export type PushFact = (repo: Repository, ref: PushedRef, project: Project | null) => Promise<Partial<PushedRef>>;

/** More refs of one push are not looked at: whoever follows them finds out for themselves. */
const MAX_REFS = 4;
/** Characters of a message that the event of a push carries. */
const MAX_OF_MESSAGE = 1_000;

/**
 * The refs of a push with what is known of them. Where git cannot tell, nothing is.
 * @param project as it was when the push was announced; null where nobody knows, as after a crash
 */
export async function pushedRefs(
  facts: readonly PushFact[],
  repo: Repository,
  { holder, updates }: Intent,
  project: Project | null,
): Promise<PushedRef[]> {
  if (holder.type !== 'project' || updates.length > MAX_REFS) return [...updates];
  const refs: PushedRef[] = [];
  for (const update of updates) {
    const ref: PushedRef = { ...update };
    try {
      for (const fact of facts) Object.assign(ref, await fact(repo, ref, project));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
    }
    refs.push(ref);
  }
  return refs;
}

/** The commit that a branch was moved on by, where it is one with a message of ordinary length. */
export const soleCommit: PushFact = async (repo, { ref, old, new: oid }) => {
  if (old === null || oid === null || !ref.startsWith(HEADS)) return {};
  const commit = await repo.objects.commit(oid);
  if (commit === null || commit.parents.length !== 1 || commit.parents[0] !== old) return {};
  return commit.message.length > MAX_OF_MESSAGE ? {} : { commit: { message: commit.message } };
};
