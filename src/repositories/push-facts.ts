import type { PushedRef } from '../core/event-payloads.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { RefChange } from '../db/tables/ref-intents.table.ts';
import { GitError } from '../git/common/index.ts';
import { HEADS } from '../git/refs/index.ts';
import type { Repository } from '../git/repository/index.ts';

/**
 * Computes facts about a pushed ref while git can still be called, so that subscribers can decide in the transaction
 * whether they have work. Must be fast, since the pusher waits.
 */
export type PushFact = (repo: Repository, ref: PushedRef, project: Project | null) => Promise<Partial<PushedRef>>;

/** Maximum number of refs of one push with facts; subscribers compute them for the rest. */
const MAX_REFS = 4;
/** Maximum length of a commit message in the event of a push. */
const MAX_OF_MESSAGE = 1_000;

/**
 * Refs of a push with the facts about them. Without an answer of git there are none.
 * @param project as of the announcement; null if unknown, as after a crash
 */
export async function pushedRefs(
  facts: readonly PushFact[],
  repo: Repository,
  updates: readonly RefChange[],
  project: Project | null,
): Promise<readonly PushedRef[]> {
  if (facts.length === 0 || updates.length > MAX_REFS) return updates;
  const refs: PushedRef[] = [];
  for (const update of updates) {
    let ref: PushedRef = update;
    try {
      for (const fact of facts) ref = { ...ref, ...(await fact(repo, ref, project)) };
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
    }
    refs.push(ref);
  }
  return refs;
}

/** The single commit that a branch was moved by, if its message has an ordinary length. */
export const soleCommit: PushFact = async (repo, { ref, old, new: oid }) => {
  if (old === null || oid === null || !ref.startsWith(HEADS)) return {};
  const commit = await repo.objects.commit(oid);
  if (commit === null || commit.parents.length !== 1 || commit.parents[0] !== old) return {};
  return commit.message.length > MAX_OF_MESSAGE ? {} : { commit: { message: commit.message } };
};
