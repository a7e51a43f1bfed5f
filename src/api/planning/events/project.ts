import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import { type Filters, filteredEntriesOf } from './events.filters.ts';
import { readableEvents } from './events.readable.ts';
import type { Rights } from './events.rights.ts';

/** A project's entries as a caller asks for them. */
export interface ProjectEntries {
  projectId: number;
  caller: Caller;
  rights: Rights;
  filters: Filters;
}

/** Kinds of entries that the rights leave, each with an index of its own. */
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
 * Takes the list apart so that each part is read along an index. Where much of the project is closed to the caller, the
 * kinds that are open to them are read one by one: what is closed may be nearly all there is.
 */
function partsOf({ rights, filters }: ProjectEntries): Filters[] {
  const { code, issues, mergeRequests } = rights;
  const narrowed = filters.action !== undefined || filters.targetType !== undefined;
  if (narrowed || (code && issues && mergeRequests)) return [filters];
  return kindsFor(rights).map((kind) => ({ ...filters, ...kind }));
}

/** Entries of a page that the caller may read, in the order of the list. */
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
