import { timestamp } from '../core/clock.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';
import { protectDefaultBranch } from './default-branch.ts';
import type { HolderType } from './holder.ts';
import type { AppliedChange } from './intent.ts';
import { enqueueMaintenance } from './repository.maintenance.ts';

const touchProject = prepared((db, { id, at }: { id: number; at: string }) =>
  db.updateTable('projects').set({ last_activity_at: at }).where('id', '=', id),
);

type RecordChange = (deps: Deps, db: Db, change: AppliedChange) => Promise<void>;

const recordPush: RecordChange = async (deps, db, change) => {
  const { userId, updates, via, pushOptions, defaultBranch, firstBranch } = change;
  const { id: projectId } = change.holder;
  await touchProject(db, { id: projectId, at: timestamp(deps.clock) });
  await deps.events.record(
    db,
    'push',
    {
      project_id: projectId,
      updates: [...updates],
      push_options: [...pushOptions],
      via,
      ...(defaultBranch === undefined ? {} : { default_branch: defaultBranch }),
    },
    { projectId, actorId: userId },
  );
  if (firstBranch !== null) await protectDefaultBranch(deps, db, projectId, firstBranch);
};

const recordSnippetPush: RecordChange = async (deps, db, { holder, userId, updates, via }) => {
  await db
    .updateTable('snippets')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', holder.id)
    .execute();
  const payload = { snippet_id: holder.id, updates: [...updates], via };
  await deps.events.record(db, 'snippet.pushed', payload, { actorId: userId });
  await enqueueMaintenance(deps, db, holder);
};

const recordWikiPush: RecordChange = async (deps, db, { holder, userId, updates, via }) => {
  const wiki = await db
    .updateTable('wikis')
    .set({ updated_at: timestamp(deps.clock) })
    .where('id', '=', holder.id)
    .returning(['project_id', 'namespace_id'])
    .executeTakeFirst();
  if (wiki === undefined) return;
  const { project_id, namespace_id: group_id } = wiki;
  const payload = { wiki_id: holder.id, project_id, group_id, updates: [...updates], via };
  const about = { projectId: project_id, groupId: group_id, actorId: userId };
  await deps.events.record(db, 'wiki.pushed', payload, about);
  await enqueueMaintenance(deps, db, holder);
};

/** Converts a change to its event, by type of holder. Takes the handle of the transaction that removes the intent. */
export const RECORD: Readonly<Record<HolderType, RecordChange>> = {
  project: recordPush,
  snippet: recordSnippetPush,
  wiki: recordWikiPush,
};
