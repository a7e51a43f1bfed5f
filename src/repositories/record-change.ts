import { timestamp } from '../core/clock.ts';
import type { DomainEvents } from '../core/core.domain-events.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';
import type { Intent } from './intent.ts';
import { enqueueMaintenance } from './repository.maintenance.ts';

/** Default branch in events, if branches were created. */
export type DefaultBranch = DomainEvents['push']['default_branch'];

const touchProject = prepared((db, { id, at }: { id: number; at: string }) =>
  db.updateTable('projects').set({ last_activity_at: at }).where('id', '=', id),
);

async function recordPush(deps: Deps, db: Db, projectId: number, intent: Intent, seen: DefaultBranch): Promise<void> {
  const { userId, updates, via, pushOptions } = intent;
  await touchProject(db, { id: projectId, at: timestamp(deps.clock) });
  await deps.events.record(
    db,
    'push',
    {
      project_id: projectId,
      updates: [...updates],
      push_options: [...pushOptions],
      via,
      ...(seen === undefined ? {} : { default_branch: seen }),
    },
    { projectId, actorId: userId },
  );
}

async function recordSnippetPush(deps: Deps, db: Db, snippetId: number, intent: Intent): Promise<void> {
  const { userId, updates, via } = intent;
  await db
    .updateTable('snippets')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', snippetId)
    .execute();
  const payload = { snippet_id: snippetId, updates: [...updates], via };
  await deps.events.record(db, 'snippet.pushed', payload, { actorId: userId });
  await enqueueMaintenance(deps, db, { type: 'snippet', id: snippetId });
}

async function recordWikiPush(deps: Deps, db: Db, wikiId: number, intent: Intent): Promise<void> {
  const { userId, updates, via } = intent;
  const wiki = await db
    .updateTable('wikis')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', wikiId)
    .returning(['project_id', 'namespace_id'])
    .executeTakeFirst();
  if (wiki === undefined) return;
  const { project_id, namespace_id } = wiki;
  const payload = { wiki_id: wikiId, project_id, group_id: namespace_id, updates: [...updates], via };
  await deps.events.record(db, 'wiki.pushed', payload, {
    projectId: project_id,
    groupId: namespace_id,
    actorId: userId,
  });
  await enqueueMaintenance(deps, db, { type: 'wiki', id: wikiId });
}

/** Converts an intent to its event, by type of holder. Takes the handle of the transaction that removes the intent. */
export const RECORD = { project: recordPush, snippet: recordSnippetPush, wiki: recordWikiPush };
