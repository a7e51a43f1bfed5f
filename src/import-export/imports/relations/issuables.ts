import { nextIid } from '../../../db/iids.ts';
import type { Db } from '../../../db/schema.ts';
import type { IssuableType } from '../../../db/tables/kinds.ts';
import type { ResourceEventsTable } from '../../../db/tables/resource-events.ts';
import type { Importing } from '../importing.ts';
import { type Given, iid, instant, integer, isGiven, objects, oneOf, sha, text } from '../take.ts';
import { idsByName, idsFor, labelsIn } from './named.ts';
import { insertNotes, insertReactions, reactionRows, reactionsNamed } from './notes.ts';
import { dates, inParts, startedAt } from './rows.ts';

const MAX_SECONDS = 2_147_483_647;
/** Names of reactions that are counted. */
const VOTES = { upvotes: 'thumbsup', downvotes: 'thumbsdown' } as const;

/** Columns that issues and merge requests have in common. */
export function issuableColumns(importing: Importing, given: Given, milestones: ReadonlyMap<string, number>) {
  const { people, place } = importing;
  const milestone = isGiven(given.milestone) ? milestones.get(String(given.milestone.title).trim()) : undefined;
  const spent = objects(given.timelogs).reduce(
    (sum, { time_spent }) => sum + (integer(time_spent, -MAX_SECONDS) ?? 0),
    0,
  );
  return {
    iid: iid(given.iid),
    project_id: place.id,
    author_id: people.of(given.author_id),
    title: text(given.title, 255)?.trim() || 'Untitled',
    description: text(given.description),
    discussion_locked: given.discussion_locked === true ? (1 as const) : null,
    milestone_id: milestone ?? null,
    time_estimate: integer(given.time_estimate) ?? 0,
    time_spent: Math.min(Math.max(spent, 0), MAX_SECONDS),
    closed_at: instant(given.closed_at),
    closed_by_id: people.maybe(given.closed_by_id),
    updated_by_id: people.maybe(given.updated_by_id),
    user_notes_count: objects(given.notes).filter(
      ({ system, confidential }) => system !== true && confidential !== true,
    ).length,
    upvotes: reactionsNamed(importing, given.award_emoji, VOTES.upvotes),
    downvotes: reactionsNamed(importing, given.award_emoji, VOTES.downvotes),
    ...dates(importing, given),
  };
}

/** Ids of the milestones that objects name, made where they are not there. */
export const milestonesFor = (importing: Importing, db: Db, given: readonly Given[]): Promise<Map<string, number>> =>
  idsFor(
    importing,
    db,
    'milestones',
    given.flatMap(({ milestone }) => (isGiven(milestone) ? [milestone] : [])),
  );

/** An object, and the row that it has become. */
interface Written {
  id: number;
  given: Given;
}

/** Joins rows with the objects that they were made of, by their numbers. */
export function joined(rows: readonly { id: number; iid: number }[], given: readonly Given[]): Written[] {
  const ids = new Map(rows.map(({ id, iid }) => [iid, id]));
  return given.map((each) => ({ id: ids.get(iid(each.iid))!, given: each }));
}

/**
 * Writes what belongs to issues or merge requests: labels, assignees, reactions, times, events and notes.
 * @param assignees key under which objects have them
 */
export async function writeBelongings(
  importing: Importing,
  db: Db,
  type: IssuableType,
  written: readonly Written[],
  assignees: string,
): Promise<void> {
  const { people, place } = importing;
  const of = (id: number) => ({ issuable_type: type, issuable_id: id, project_id: place.id });
  const labels = await idsFor(
    importing,
    db,
    'labels',
    written.flatMap(({ given }) => labelsIn(given)),
  );
  const links = written.flatMap(({ id, given }) =>
    [...new Set(labelsIn(given).map(({ title }) => labels.get(String(title).trim())!))].map((label_id) => ({
      ...of(id),
      label_id,
    })),
  );
  await inParts(links, (part) => db.insertInto('issuable_labels').values(part).execute());
  const people_ = written.flatMap(({ id, given }) =>
    [...new Set(objects(given[assignees]).map(({ user_id }) => people.of(user_id)))].map((user_id) => ({
      ...of(id),
      user_id,
    })),
  );
  await inParts(people_, (part) => db.insertInto('issuable_assignees').values(part).execute());
  await insertReactions(
    db,
    written.flatMap(({ id, given }) => reactionRows(importing, type, id, given.award_emoji)),
  );
  const times = written.flatMap(({ id, given }) =>
    objects(given.timelogs).map((each) => ({
      ...of(id),
      user_id: people.of(each.user_id),
      time_spent: integer(each.time_spent, -MAX_SECONDS) ?? 0,
      summary: text(each.summary),
      spent_at: instant(each.spent_at) ?? startedAt(importing, each),
      created_at: startedAt(importing, each),
    })),
  );
  await inParts(times, (part) => db.insertInto('time_logs').values(part).execute());
  await writeEvents(importing, db, type, written);
  await insertNotes(
    importing,
    db,
    written.flatMap(({ id, given }) =>
      objects(given.notes).map((each) => ({
        on: { noteable_type: type, noteable_id: id, commit_id: null },
        given: each,
      })),
    ),
  );
}

const titleIn = (named: unknown): string => (isGiven(named) ? String(named.title).trim() : '');

/** Ids of labels or milestones of which events tell, as far as the place has them. */
const idsNamed = (importing: Importing, db: Db, kind: 'label' | 'milestone', written: readonly Written[]) =>
  idsByName(
    importing,
    db,
    `${kind}s`,
    written.flatMap(({ given }) => objects(given[`resource_${kind}_events`]).map((event) => titleIn(event[kind]))),
  );

async function writeEvents(
  importing: Importing,
  db: Db,
  type: IssuableType,
  written: readonly Written[],
): Promise<void> {
  const labels = await idsNamed(importing, db, 'label', written);
  const milestones = await idsNamed(importing, db, 'milestone', written);
  const EMPTY = { action: null, state: null, label_id: null, milestone_id: null, weight: null, source_commit: null };
  const action = (given: Given) => oneOf(given.action, ['add', 'remove']);
  const own: Record<
    'label' | 'milestone' | 'state' | 'weight',
    (given: Given) => Partial<Omit<ResourceEventsTable, 'id'>>
  > = {
    label: (given) => ({
      action: action(given),
      label_id: labels.get(titleIn(given.label)) ?? null,
    }),
    milestone: (given) => ({
      action: action(given),
      state: given.state === 'closed' ? 'closed' : 'opened',
      milestone_id: milestones.get(titleIn(given.milestone)) ?? null,
    }),
    state: (given) => ({
      state: oneOf(given.state, ['opened', 'closed', 'reopened', 'merged', 'locked']),
      source_commit: sha(given.source_commit),
    }),
    weight: (given) => ({ weight: integer(given.weight) }),
  };
  const rows = written.flatMap(({ id, given }) =>
    Object.entries(own).flatMap(([kind, columns]) =>
      objects(given[`resource_${kind}_events`]).map((each) => ({
        kind: kind as keyof typeof own,
        issuable_type: type,
        issuable_id: id,
        project_id: importing.place.id,
        user_id: importing.people.maybe(each.user_id),
        source_project_id: null,
        source_merge_request_id: null,
        ...EMPTY,
        ...columns(each),
        created_at: startedAt(importing, each),
      })),
    ),
  );
  await inParts(rows, (part) => db.insertInto('resource_events').values(part).execute());
}

/** The next number of the project follows the highest of those that came. */
export async function passNumbers(
  { place }: Importing,
  db: Db,
  usage: 'issues' | 'merge_requests',
  given: readonly Given[],
): Promise<void> {
  const highest = given.reduce((most, each) => Math.max(most, iid(each.iid)), 0);
  if (highest > 0) await nextIid(db, { source_type: 'project', source_id: place.id, usage }, highest);
}
