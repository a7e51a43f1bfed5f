import type { Db } from '../../../db/db.schema.ts';
import type { Event, EventAction } from '../../../db/tables/events.table.ts';

/** Filters and order of a list of the feed. */
export interface Filters {
  action?: EventAction | undefined;
  /** A target type that entries can have. */
  targetType?: NonNullable<Event['target_type']> | undefined;
  /** Only entries after `since` and before `until`. */
  since?: string | undefined;
  until?: string | undefined;
  direction: 'asc' | 'desc';
}

/** Owner of the entries: a project or an author. */
export interface Owner {
  projectId?: number | undefined;
  authorId?: number | undefined;
}

/** Query for the entries of an owner in a period, in the order of the list; fully served by an index. */
export function entriesOf(db: Db, { projectId, authorId }: Owner, { since, until, direction }: Filters) {
  let query = db.selectFrom('events').orderBy('events.created_at', direction).orderBy('events.id', direction);
  if (authorId !== undefined) query = query.where('events.author_id', '=', authorId);
  if (projectId !== undefined) query = query.where('events.project_id', '=', projectId);
  if (since !== undefined) query = query.where('events.created_at', '>', since);
  if (until !== undefined) query = query.where('events.created_at', '<', until);
  return query;
}

/** As `entriesOf`, filtered by action and target as well. */
export function filteredEntriesOf(db: Db, owner: Owner, filters: Filters) {
  let query = entriesOf(db, owner, filters);
  if (filters.action !== undefined) query = query.where('events.action', '=', filters.action);
  if (filters.targetType !== undefined) query = query.where('events.target_type', '=', filters.targetType);
  return query;
}
