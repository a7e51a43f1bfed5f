import type { Db } from '../db/schema.ts';
import type { Deps } from '../deps.ts';

/** Kind of the job that keeps a project's repository quick; its payload is `{ project_id }`. */
export const MAINTAIN_REPOSITORY = 'maintain-repository';
/** The same for a snippet; its payload is `{ snippet_id }`. */
export const MAINTAIN_SNIPPET = 'maintain-snippet';
/** So long after a change of refs, so that one run serves a burst of them. */
export const MAINTENANCE_PAUSE_MS = 30_000;

/** Asks for upkeep of a snippet's repository in the transaction that records a change of it. */
export async function enqueueSnippetUpkeep(deps: Deps, db: Db, snippetId: number): Promise<void> {
  const runAt = new Date(deps.clock.now().getTime() + MAINTENANCE_PAUSE_MS);
  const uniqueKey = `${MAINTAIN_SNIPPET}:${snippetId}`;
  await deps.jobs.enqueue(db, MAINTAIN_SNIPPET, { snippet_id: snippetId }, { uniqueKey, runAt });
}
