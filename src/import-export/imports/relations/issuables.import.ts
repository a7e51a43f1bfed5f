import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import type { ResourceEventsTable } from '../../../db/tables/resource-events.table.ts';
import type { IssuableType } from '../../../db/tables/tables.kinds.ts';
import {
  coerceIid,
  coerceInstant,
  coerceInteger,
  coerceObjects,
  coerceOneOf,
  coerceSha,
  coerceText,
  type ImportedObject,
  isImportedObject,
} from '../coerce-import.ts';
import type { ImportContext } from '../import-context.ts';
import { idsByName, idsFor, labelsIn } from './named.ts';
import { countReactions, insertNotes, insertReactions, reactionRows } from './notes.import.ts';
import { dates, insertInBatches, startedAt } from './rows.ts';

const MAX_SECONDS = 2_147_483_647;
/** Reactions that count as votes. */
const VOTES = { upvotes: 'thumbsup', downvotes: 'thumbsdown' } as const;

/** Common columns of issues and merge requests. */
export function issuableColumns(
  context: ImportContext,
  object: ImportedObject,
  milestones: ReadonlyMap<string, number>,
) {
  const { users, place } = context;
  const milestone = isImportedObject(object.milestone)
    ? milestones.get(String(object.milestone.title).trim())
    : undefined;
  const spent = coerceObjects(object.timelogs).reduce(
    (sum, { time_spent }) => sum + (coerceInteger(time_spent, -MAX_SECONDS) ?? 0),
    0,
  );
  return {
    iid: coerceIid(object.iid),
    project_id: place.id,
    author_id: users.of(object.author_id),
    title: coerceText(object.title, 255)?.trim() || 'Untitled',
    description: coerceText(object.description),
    discussion_locked: object.discussion_locked === true ? (1 as const) : null,
    milestone_id: milestone ?? null,
    time_estimate: coerceInteger(object.time_estimate) ?? 0,
    time_spent: Math.min(Math.max(spent, 0), MAX_SECONDS),
    closed_at: coerceInstant(object.closed_at),
    closed_by_id: users.ofOptional(object.closed_by_id),
    updated_by_id: users.ofOptional(object.updated_by_id),
    user_notes_count: coerceObjects(object.notes).filter(
      ({ system, confidential }) => system !== true && confidential !== true,
    ).length,
    upvotes: countReactions(context, object.award_emoji, VOTES.upvotes),
    downvotes: countReactions(context, object.award_emoji, VOTES.downvotes),
    ...dates(context, object),
  };
}

/** Ids of the milestones of objects; creates missing ones. */
export const milestonesFor = (
  context: ImportContext,
  db: Db,
  object: readonly ImportedObject[],
): Promise<Map<string, number>> =>
  idsFor(
    context,
    db,
    'milestones',
    object.flatMap(({ milestone }) => (isImportedObject(milestone) ? [milestone] : [])),
  );

/** An object, and its row. */
interface Written {
  id: number;
  object: ImportedObject;
}

/** Joins rows with their objects, by iid. */
export function joinRows(rows: readonly { id: number; iid: number }[], object: readonly ImportedObject[]): Written[] {
  const ids = new Map(rows.map(({ id, iid }) => [iid, id]));
  return object.map((each) => ({ id: ids.get(coerceIid(each.iid))!, object: each }));
}

/**
 * Writes associations of issues or merge requests: labels, assignees, reactions, time logs, events and notes.
 * @param assignees key of the assignees in objects
 */
export async function writeAssociations(
  context: ImportContext,
  db: Db,
  type: IssuableType,
  written: readonly Written[],
  assignees: string,
): Promise<void> {
  const { users, place } = context;
  const of = (id: number) => ({ issuable_type: type, issuable_id: id, project_id: place.id });
  const labels = await idsFor(
    context,
    db,
    'labels',
    written.flatMap(({ object }) => labelsIn(object)),
  );
  const links = written.flatMap(({ id, object }) =>
    [...new Set(labelsIn(object).map(({ title }) => labels.get(String(title).trim())!))].map((label_id) => ({
      ...of(id),
      label_id,
    })),
  );
  await insertInBatches(links, (part) => db.insertInto('issuable_labels').values(part).execute());
  const people_ = written.flatMap(({ id, object }) =>
    [...new Set(coerceObjects(object[assignees]).map(({ user_id }) => users.of(user_id)))].map((user_id) => ({
      ...of(id),
      user_id,
    })),
  );
  await insertInBatches(people_, (part) => db.insertInto('issuable_assignees').values(part).execute());
  await insertReactions(
    db,
    written.flatMap(({ id, object }) => reactionRows(context, type, id, object.award_emoji)),
  );
  const times = written.flatMap(({ id, object }) =>
    coerceObjects(object.timelogs).map((each) => ({
      ...of(id),
      user_id: users.of(each.user_id),
      time_spent: coerceInteger(each.time_spent, -MAX_SECONDS) ?? 0,
      summary: coerceText(each.summary),
      spent_at: coerceInstant(each.spent_at) ?? startedAt(context, each),
      created_at: startedAt(context, each),
    })),
  );
  await insertInBatches(times, (part) => db.insertInto('time_logs').values(part).execute());
  await writeEvents(context, db, type, written);
  await insertNotes(
    context,
    db,
    written.flatMap(({ id, object }) =>
      coerceObjects(object.notes).map((each) => ({
        on: { noteable_type: type, noteable_id: id, commit_id: null },
        object: each,
      })),
    ),
  );
}

const titleIn = (named: unknown): string => (isImportedObject(named) ? String(named.title).trim() : '');

/** Ids of labels or milestones in events, if available in the destination. */
const idsNamed = (context: ImportContext, db: Db, kind: 'label' | 'milestone', written: readonly Written[]) =>
  idsByName(
    context,
    db,
    `${kind}s`,
    written.flatMap(({ object }) =>
      coerceObjects(object[`resource_${kind}_events`]).map((event) => titleIn(event[kind])),
    ),
  );

async function writeEvents(
  context: ImportContext,
  db: Db,
  type: IssuableType,
  written: readonly Written[],
): Promise<void> {
  const labels = await idsNamed(context, db, 'label', written);
  const milestones = await idsNamed(context, db, 'milestone', written);
  const EMPTY = { action: null, state: null, label_id: null, milestone_id: null, weight: null, source_commit: null };
  const action = (object: ImportedObject) => coerceOneOf(object.action, ['add', 'remove']);
  const own: Record<
    'label' | 'milestone' | 'state' | 'weight',
    (object: ImportedObject) => Partial<Omit<ResourceEventsTable, 'id'>>
  > = {
    label: (object) => ({
      action: action(object),
      label_id: labels.get(titleIn(object.label)) ?? null,
    }),
    milestone: (object) => ({
      action: action(object),
      state: object.state === 'closed' ? 'closed' : 'opened',
      milestone_id: milestones.get(titleIn(object.milestone)) ?? null,
    }),
    state: (object) => ({
      state: coerceOneOf(object.state, ['opened', 'closed', 'reopened', 'merged', 'locked']),
      source_commit: coerceSha(object.source_commit),
    }),
    weight: (object) => ({ weight: coerceInteger(object.weight) }),
  };
  const rows = written.flatMap(({ id, object }) =>
    Object.entries(own).flatMap(([kind, columns]) =>
      coerceObjects(object[`resource_${kind}_events`]).map((each) => ({
        kind: kind as keyof typeof own,
        issuable_type: type,
        issuable_id: id,
        project_id: context.place.id,
        user_id: context.users.ofOptional(each.user_id),
        source_project_id: null,
        source_merge_request_id: null,
        ...EMPTY,
        ...columns(each),
        created_at: startedAt(context, each),
      })),
    ),
  );
  await insertInBatches(rows, (part) => db.insertInto('resource_events').values(part).execute());
}

/** Sets the next iid of the project above the highest imported one. */
export async function reserveIids(
  { place }: ImportContext,
  db: Db,
  usage: 'issues' | 'merge_requests',
  object: readonly ImportedObject[],
): Promise<void> {
  const highest = object.reduce((maxIid, each) => Math.max(maxIid, coerceIid(each.iid)), 0);
  if (highest > 0) await nextIid(db, { source_type: 'project', source_id: place.id, usage }, highest);
}
