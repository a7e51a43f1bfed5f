import type { Db } from '../../../db/db.schema.ts';
import type { Event, EventAction } from '../../../db/tables/events.table.ts';

/** What a list of the feed is narrowed down and ordered by. */
export interface Filters {
  action?: EventAction | undefined;
  /** One that entries can have. */
  targetType?: NonNullable<Event['target_type']> | undefined;
  /** Only what happened after the one instant and before the other. */
  since?: string | undefined;
  until?: string | undefined;
  direction: 'asc' | 'desc';
}

/** Whose entries: all of a project, or those of an author. */
export interface Owner {
  projectId?: number | undefined;
  authorId?: number | undefined;
}

/** Entries of an owner within the times, in the order of the list: what an index serves by itself. */
export function entriesOf(db: Db, { projectId, authorId }: Owner, { since, until, direction }: Filters) {
  let query = db.selectFrom('events').orderBy('events.created_at', direction).orderBy('events.id', direction);
  if (authorId !== undefined) query = query.where('events.author_id', '=', authorId);
  if (projectId !== undefined) query = query.where('events.project_id', '=', projectId);
  if (since !== undefined) query = query.where('events.created_at', '>', since);
  if (until !== undefined) query = query.where('events.created_at', '<', until);
  return query;
}

/** The same, narrowed down by action and target too. */
export function filteredEntriesOf(db: Db, owner: Owner, filters: Filters) {
  let query = entriesOf(db, owner, filters);
  if (filters.action !== undefined) query = query.where('events.action', '=', filters.action);
  if (filters.targetType !== undefined) query = query.where('events.target_type', '=', filters.targetType);
  return query;
}
