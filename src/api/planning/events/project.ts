import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import { type Filters, filteredEntriesOf } from './events.filters.ts';
import { readableEvents } from './events.readable.ts';
import type { Rights } from './events.rights.ts';

/** Request of a caller for the entries of a project. */
export interface ProjectEntries {
  projectId: number;
  caller: Caller;
  rights: Rights;
  filters: Filters;
}

/** Kinds of entries that the rights allow; each is served by an index. */
function kindsFor(rights: Rights): Pick<Filters, 'action' | 'targetType'>[] {
  const types: NonNullable<Event['target_type']>[] = ['Project'];
  if (rights.issues) types.push('Issue');
  if (rights.mergeRequests) types.push('MergeRequest');
  if (rights.milestones) types.push('Milestone');
  if (rights.snippets) types.push('Snippet');
  if (rights.wikis) types.push('WikiPage::Meta');
  if (rights.code || rights.issues || rights.mergeRequests || rights.snippets) {
    types.push('Note', 'DiffNote', 'DiscussionNote');
  }
  const actions: Event['action'][] = ['joined', 'left', 'expired', ...(rights.code ? ['pushed' as const] : [])];
  return [...types.map((targetType) => ({ targetType })), ...actions.map((action) => ({ action }))];
}

/**
 * Splits the list into parts that are each read along an index. If large parts of the project are closed to the caller,
 * the readable kinds are read one by one, because nearly all entries may be unreadable.
 */
function partsOf({ rights, filters }: ProjectEntries): Filters[] {
  const { code, issues, mergeRequests } = rights;
  const narrowed = filters.action !== undefined || filters.targetType !== undefined;
  if (narrowed || (code && issues && mergeRequests)) return [filters];
  return kindsFor(rights).map((kind) => ({ ...filters, ...kind }));
}

/** A page of entries that the caller may read, in order. */
export async function readProject(
  db: Db,
  list: ProjectEntries,
  { offset, size }: { offset: number; size: number },
): Promise<Event[]> {
  const condition = readableEvents(list.caller, list.rights);
  const [first, ...others] = partsOf(list).map((part) => {
    const entries = filteredEntriesOf(db, list, part).where(condition).selectAll('events');
    return db.selectFrom(entries.limit(offset + size).as('part')).selectAll('part');
  });
  const together = others.reduce((sum, each) => sum.unionAll(each), first!);
  const { direction } = list.filters;
  return db
    .selectFrom(together.as('feed'))
    .selectAll('feed')
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(size)
    .offset(offset)
    .execute();
}
