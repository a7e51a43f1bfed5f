import { pluck } from '../../core/pluck.ts';
import type { IssuableType } from '../../db/tables/tables.kinds.ts';
import { noteObjects, notesOn } from './notes.relation.ts';
import { reactionObjects, reactionsTo } from './reactions.relation.ts';
import type { Exporting, TreeRelation } from './relation.ts';
import { afterRow, Children, nameUsers, objectText } from './relations.children.ts';

/** Number of issues or merge requests per page in memory. */
export const ISSUABLES_AT_ONCE = 50;

interface Row {
  id: number;
  iid: number;
  milestone_id: number | null;
}

type Attachments = ReturnType<Awaited<ReturnType<typeof attachmentsOf>>>;

/** Short lists of a page of issues or merge requests, loaded completely. */
async function attachmentsOf(exporting: Exporting, type: IssuableType, rows: readonly Row[]) {
  const { db } = exporting;
  const ids = rows.map(({ id }) => id);
  const labels = await db
    .selectFrom('issuable_labels')
    .innerJoin('labels', 'labels.id', 'label_id')
    .select(['issuable_id', 'labels.name as title', 'color', 'description', 'group_id'])
    .where('issuable_type', '=', type)
    .where('issuable_id', 'in', ids)
    .orderBy('label_id')
    .execute();
  const assignees = await db
    .selectFrom('issuable_assignees')
    .select(['issuable_id', 'user_id'])
    .where('issuable_type', '=', type)
    .where('issuable_id', 'in', ids)
    .orderBy('user_id')
    .execute();
  for (const { user_id } of assignees) exporting.names(user_id);
  const milestones = await db
    .selectFrom('milestones')
    .selectAll()
    .where(
      'id',
      'in',
      rows.flatMap(({ milestone_id }) => milestone_id ?? []),
    )
    .execute();
  return (row: Row) => ({
    label_links: labels.flatMap(({ issuable_id, group_id, ...label }) =>
      issuable_id === row.id ? [{ label: { ...label, type: group_id === null ? 'ProjectLabel' : 'GroupLabel' } }] : [],
    ),
    assignees: assignees.flatMap(({ issuable_id, user_id }) => (issuable_id === row.id ? [{ user_id }] : [])),
    milestone: milestones.find(({ id }) => id === row.milestone_id) ?? null,
  });
}

const timeLogsOf = (exporting: Exporting, type: IssuableType, ids: readonly number[]) =>
  new Children(async (after, limit) => {
    const rows = await exporting.db
      .selectFrom('time_logs')
      .select(['id', 'issuable_id as parent', 'user_id', 'time_spent', 'summary', 'spent_at', 'created_at'])
      .where('issuable_type', '=', type)
      .where('issuable_id', 'in', ids)
      .where(afterRow('issuable_id', after))
      .orderBy('issuable_id')
      .orderBy('id')
      .limit(limit)
      .execute();
    for (const row of rows) nameUsers(exporting, row, ['user_id']);
    return rows;
  });

const EVENT_KINDS = ['label', 'milestone', 'state', 'weight'] as const;
type EventKind = (typeof EVENT_KINDS)[number];

const eventsOf = (exporting: Exporting, type: IssuableType, ids: readonly number[], kind: EventKind) =>
  new Children(async (after, limit) => {
    const rows = await exporting.db
      .selectFrom('resource_events')
      .leftJoin('labels', 'labels.id', 'label_id')
      .leftJoin('milestones', 'milestones.id', 'milestone_id')
      .select(['resource_events.id', 'issuable_id as parent', 'user_id', 'action', 'resource_events.state', 'weight'])
      .select(['source_commit', 'resource_events.created_at', 'labels.name as label', 'milestones.title as milestone'])
      .where('issuable_type', '=', type)
      .where('issuable_id', 'in', ids)
      .where('kind', '=', kind)
      .where(afterRow('issuable_id', after, 'resource_events.id'))
      .orderBy('issuable_id')
      .orderBy('resource_events.id')
      .limit(limit)
      .execute();
    for (const row of rows) nameUsers(exporting, row, ['user_id']);
    return rows;
  });

interface ReadEvent {
  user_id: number | null;
  action: string | null;
  state: string | null;
  weight: number | null;
  source_commit: string | null;
  created_at: string;
  label: string | null;
  milestone: string | null;
}

async function* eventObjects(kind: EventKind, events: AsyncIterable<ReadEvent>): AsyncGenerator<object> {
  for await (const { user_id, action, state, weight, source_commit, created_at, label, milestone } of events) {
    const own = {
      label: { action, label: label === null ? null : { title: label } },
      milestone: { action, state, milestone: milestone === null ? null : { title: milestone } },
      state: { state, source_commit },
      weight: { weight },
    }[kind];
    yield { user_id, created_at, ...own };
  }
}

/**
 * Long lists of a page of issues or merge requests, read in the order of ids.
 * @returns a function that gives the lists of one of them
 */
function listsOf(exporting: Exporting, type: IssuableType, ids: readonly number[]) {
  const reactions = reactionsTo(exporting, type, ids);
  const times = timeLogsOf(exporting, type, ids);
  const events = EVENT_KINDS.map((kind) => [kind, eventsOf(exporting, type, ids, kind)] as const);
  const notes = notesOn(exporting, type, ids);
  return (id: number): Record<string, AsyncIterable<object>> => ({
    award_emoji: reactionObjects(reactions.of(id)),
    timelogs: withoutIds(times.of(id)),
    ...Object.fromEntries(events.map(([kind, all]) => [`resource_${kind}_events`, eventObjects(kind, all.of(id))])),
    notes: noteObjects(notes.of(id)),
  });
}

async function* withoutIds<T extends { id: number; parent: number }>(rows: AsyncIterable<T>): AsyncGenerator<object> {
  for await (const { id: _id, parent: _parent, ...row } of rows) yield row;
}

/**
 * Relation of issues or merge requests with their associations.
 * @param read loads the page after an iid, in the order of iids
 * @param attributes attributes of one, without its long lists
 */
export const issuablesRelation = <T extends Row>(
  name: string,
  type: IssuableType,
  read: (exporting: Exporting, after: number) => Promise<T[]>,
  attributes: (exporting: Exporting, row: T, attached: Attachments) => object,
): TreeRelation => ({
  form: 'objects',
  name,
  single: false,
  async *pieces(exporting, after) {
    for (;;) {
      const page = await read(exporting, after);
      const attached = await attachmentsOf(exporting, type, page);
      // Lists are read in the order of ids, so an export can continue only after whole pages.
      const rows = page.toSorted((a, b) => a.id - b.id);
      const lists = listsOf(exporting, type, pluck(rows, 'id'));
      after = page.at(-1)?.iid ?? after;
      for (const row of rows) {
        yield* objectText(attributes(exporting, row, attached(row)), lists(row.id));
        yield after;
      }
      if (page.length < ISSUABLES_AT_ONCE) return;
    }
  },
});
