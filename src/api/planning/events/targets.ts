import type { Db } from '../../../db/db.schema.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Event } from '../../../db/tables/events.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import { type WikiPageJson, wikiPagesById } from '../../code/index.ts';

/** Number and title of the target of an entry. */
export interface EventTarget {
  /** Null for targets without a number. */
  iid: number | null;
  title: string;
}

type Named = 'Issue' | 'MergeRequest' | 'Milestone' | 'Snippet' | 'Project';

/** Targets of entries by `<type>:<id>`, with comments and wiki pages by id. */
export interface EventTargets {
  named: ReadonlyMap<string, EventTarget>;
  notes: ReadonlyMap<number, Note>;
  wikiPages: ReadonlyMap<number, WikiPageJson>;
}

export const targetKey = (type: string, id: number): string => `${type}:${id}`;

/** Loads the targets of entries, in one query per kind. */
export async function loadTargets(db: Db, events: readonly Event[]): Promise<EventTargets> {
  const idsByType = new Map<string, Set<number>>();
  const want = (type: string | null, id: number | null) => {
    if (type === null || id === null) return;
    const ids = idsByType.get(type) ?? new Set();
    idsByType.set(type, ids.add(id));
  };
  for (const { target_type, target_id, noteable_type, noteable_id } of events) {
    want(noteable_type === null ? target_type : 'Note', target_id);
    want(noteable_type, noteable_id);
  }
  const named = new Map<string, EventTarget>();
  for (const type of ['Issue', 'MergeRequest', 'Milestone', 'Snippet', 'Project'] as const) {
    const ids = [...(idsByType.get(type) ?? [])];
    if (ids.length === 0) continue;
    for (const { id, iid, title } of await load(db, type, ids)) named.set(targetKey(type, id), { iid, title });
  }
  const notes = await rowsById(db, 'notes', idsByType.get('Note') ?? []);
  const wikiPages = await wikiPagesById(db, [...(idsByType.get('WikiPage::Meta') ?? [])]);
  for (const [id, { title }] of wikiPages) named.set(targetKey('WikiPage::Meta', id), { iid: null, title });
  return { named, notes, wikiPages };
}

async function load(db: Db, type: Named, ids: number[]): Promise<(EventTarget & { id: number })[]> {
  switch (type) {
    case 'Issue':
      return db.selectFrom('issues').select(['id', 'iid', 'title']).where('id', 'in', ids).execute();
    case 'MergeRequest':
      return db.selectFrom('merge_requests').select(['id', 'iid', 'title']).where('id', 'in', ids).execute();
    case 'Milestone':
      return db.selectFrom('milestones').select(['id', 'iid', 'title']).where('id', 'in', ids).execute();
    case 'Snippet': {
      const rows = await db.selectFrom('snippets').select(['id', 'title']).where('id', 'in', ids).execute();
      return rows.map((row) => ({ ...row, iid: null }));
    }
    case 'Project': {
      const rows = await db.selectFrom('projects').select(['id', 'name']).where('id', 'in', ids).execute();
      return rows.map(({ id, name }) => ({ id, iid: null, title: name }));
    }
  }
}
