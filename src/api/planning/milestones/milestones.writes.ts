import { sql } from 'kysely';
import { timestamp } from '../../../core/clock.ts';
import type { DomainEventType } from '../../../core/core.domain-events.ts';
import { ApiError, type FieldErrors, recordNotFound } from '../../../core/core.errors.ts';
import { milestoneFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import { inBatches } from '../../../db/in-batches.ts';
import type { Milestone } from '../../../db/tables/milestones.table.ts';
import type { Deps } from '../../../deps.ts';
import { writeSystemNotes } from '../notes/system-note.ts';
import { recordMilestoneDeletion } from '../resource-events/resource-events.removal.ts';
import type { MilestoneOwner } from './milestone-owner.ts';
import type { CreateMilestoneInput, UpdateMilestoneInput } from './milestones.inputs.ts';
import { findMilestone, isTitleTaken } from './milestones.queries.ts';

const MAX_TITLE = 255;
const TAKEN = 'already being used for another group or project milestone.';

type MilestoneEvent = Extract<DomainEventType, `milestone.${string}`>;

/** Refusal (400) of an invalid milestone, in the notation of the platform. */
export function notSaved(verb: 'create' | 'update', errors: FieldErrors): ApiError {
  const fields = Object.entries(errors).map(([field, texts]) => `:${field}=>${JSON.stringify(texts)}`);
  return new ApiError(400, `Failed to ${verb} milestone {${fields.join(', ')}}`, { errors });
}

async function check(
  db: Db,
  owner: MilestoneOwner,
  verb: 'create' | 'update',
  { id = 0, title, start_date, due_date }: Pick<Milestone, 'title' | 'start_date' | 'due_date'> & { id?: number },
): Promise<void> {
  const titles = [
    ...(title === '' ? ["can't be blank"] : []),
    ...(title.length > MAX_TITLE ? [`is too long (maximum is ${MAX_TITLE} characters)`] : []),
    ...(title !== '' && (await isTitleTaken(db, owner, title, id)) ? [TAKEN] : []),
  ];
  const dates =
    start_date !== null && due_date !== null && due_date < start_date ? ['must be greater than start date'] : [];
  const errors = { ...(titles.length > 0 ? { title: titles } : {}), ...(dates.length > 0 ? { due_date: dates } : {}) };
  if (Object.keys(errors).length > 0) throw notSaved(verb, errors);
}

/** Locks the milestone titles of a group and its projects for a transaction. */
async function lockTitles(db: Db, owner: MilestoneOwner): Promise<void> {
  await db
    .updateTable('namespaces')
    .set({ kind: sql<'group'>`kind` })
    .where('id', '=', owner.groups.at(-1) ?? 0)
    .execute();
}

async function record(deps: Deps, db: Db, type: MilestoneEvent, row: Milestone, actorId: number | null): Promise<void> {
  const { id: milestone_id, project_id, group_id, title } = row;
  const payload = { milestone_id, project_id, group_id, milestone: milestoneFacts(row) };
  const about = { projectId: project_id, groupId: group_id, actorId };
  if (type === 'milestone.destroyed') await deps.events.record(db, type, { ...payload, title }, about);
  else await deps.events.record(db, type, payload, about);
}

/** Finds a milestone of the project or group by its id. @throws ApiError 404 */
export async function getMilestone(db: Db, owner: MilestoneOwner, id: number): Promise<Milestone> {
  const milestone = await findMilestone(db, owner, id);
  if (milestone === undefined) throw recordNotFound();
  return milestone;
}

/**
 * Creates a milestone.
 * @throws ApiError 400 for a blank, too long or taken title, or a due date before the start date
 */
export async function createMilestone(
  deps: Deps,
  owner: MilestoneOwner,
  input: CreateMilestoneInput,
  actorId: number | null,
): Promise<Milestone> {
  const now = timestamp(deps.clock);
  const { description, start_date = null, due_date = null } = input;
  const title = input.title.trim();
  return deps.db.transaction().execute(async (db) => {
    await lockTitles(db, owner);
    await check(db, owner, 'create', { title, start_date, due_date });
    const row = await db
      .insertInto('milestones')
      .values({
        iid: await nextIid(db, { source_type: owner.type, source_id: owner.id, usage: 'milestones' }),
        project_id: owner.type === 'project' ? owner.id : null,
        group_id: owner.type === 'group' ? owner.id : null,
        title,
        description: description ?? '',
        start_date,
        due_date,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await record(deps, db, 'milestone.created', row, actorId);
    return row;
  });
}

const NOTED = [
  ['issues', 'Issue'],
  ['merge_requests', 'MergeRequest'],
] as const;
const NOTES_AT_ONCE = 500;
const STATES = { close: 'closed', activate: 'active' } as const;

/**
 * Changes, closes or reopens a milestone.
 * @throws ApiError 400 as for a new one, 404
 */
export async function updateMilestone(
  deps: Deps,
  owner: MilestoneOwner,
  id: number,
  { state_event, ...input }: UpdateMilestoneInput,
  actorId: number | null,
): Promise<Milestone> {
  return deps.db.transaction().execute(async (db) => {
    await lockTitles(db, owner);
    const before = await getMilestone(db, owner, id);
    const state = state_event === undefined ? before.state : STATES[state_event];
    const columns = {
      title: input.title?.trim() ?? before.title,
      description: input.description === undefined ? before.description : (input.description ?? ''),
      start_date: input.start_date === undefined ? before.start_date : input.start_date,
      due_date: input.due_date === undefined ? before.due_date : input.due_date,
    };
    await check(db, owner, 'update', { id, ...columns });
    const changed = (Object.keys(columns) as (keyof typeof columns)[]).some((key) => columns[key] !== before[key]);
    if (!changed && state === before.state) return before;
    const row = await db
      .updateTable('milestones')
      .set({ ...columns, state, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (changed) await record(deps, db, 'milestone.updated', row, actorId);
    if (state !== before.state) {
      await record(deps, db, state === 'closed' ? 'milestone.closed' : 'milestone.reopened', row, actorId);
    }
    return row;
  });
}

/** Writes system notes on all issues and merge requests of a deleted milestone. */
async function noteDeletion(deps: Deps, db: Db, milestoneId: number, actorId: number): Promise<void> {
  for (const [table, type] of NOTED) {
    const all = db.selectFrom(table).select(['id', 'project_id']).where('milestone_id', '=', milestoneId);
    for await (const rows of inBatches(all, NOTES_AT_ONCE, 'id')) {
      const targets = rows.map(({ id, project_id }) => ({ type, id, projectId: project_id }));
      await writeSystemNotes(deps, db, targets, actorId, 'milestone', 'removed milestone');
    }
  }
}

/** Deletes a milestone and removes it from issues and merge requests. @throws ApiError 404 */
export async function destroyMilestone(
  deps: Deps,
  owner: MilestoneOwner,
  id: number,
  actorId: number | null,
): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    await recordMilestoneDeletion(deps, db, id, actorId);
    if (actorId !== null) await noteDeletion(deps, db, id, actorId);
    const row = await db.deleteFrom('milestones').where('id', '=', id).returningAll().executeTakeFirst();
    if (row === undefined || row[`${owner.type}_id`] !== owner.id) throw recordNotFound();
    await record(deps, db, 'milestone.destroyed', row, actorId);
  });
}
