import type { Db } from '../db/schema.ts';
import type { Deps } from '../deps.ts';
import { jobKind } from '../jobs/kinds.ts';

/** Keeps a project's repository quick; its unique key is the project's id. */
export const MAINTAIN_REPOSITORY = jobKind<{ project_id: number }>('maintain-repository', { lane: 'slow' });
/** The same for a snippet. */
export const MAINTAIN_SNIPPET = jobKind<{ snippet_id: number }>('maintain-snippet', { lane: 'slow' });
/** So long after a change of refs, so that one run serves a burst of them. */
export const MAINTENANCE_PAUSE_MS = 30_000;

/** Asks for upkeep of a snippet's repository in the transaction that records a change of it. */
export async function enqueueSnippetUpkeep(deps: Deps, db: Db, snippetId: number): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + MAINTENANCE_PAUSE_MS);
  await deps.jobs.enqueue(db, MAINTAIN_SNIPPET, { snippet_id: snippetId }, { uniqueKey: snippetId, runAt });
}
