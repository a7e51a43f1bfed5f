import type { Insertable } from 'kysely';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import type { DomainEventType } from '../../../core/core.domain-events.ts';
import type { Db, Schema } from '../../../db/db.schema.ts';
import { type Columns, columnsOf, prepared, rowsOf } from '../../../db/prepared.ts';
import { type Event, eventId } from '../../../db/tables/events.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Repository } from '../../../git/repository/index.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { ofProject } from '../../../repositories/holder.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { isRecordedSynchronously, pushEntries } from './events.pushes.ts';

/** Columns of a feed entry that depend on the kind of event. */
type Entry = Pick<Event, 'action' | 'target_type' | 'target_id'> &
  Partial<Pick<Event, 'noteable_type' | 'noteable_id' | 'push_data'>>;
interface FeedEntries {
  projectId: number;
  authorId: number;
  entries: Entry[];
}

const FEED_EVENTS = [
  'push',
  'project.created',
  'member.added',
  'member.removed',
  'issue.created',
  'issue.closed',
  'issue.reopened',
  'merge_request.created',
  'merge_request.closed',
  'merge_request.reopened',
  'merge_request.merged',
  'merge_request.approved',
  'milestone.created',
  'milestone.closed',
  'milestone.reopened',
  'milestone.destroyed',
  'note.created',
  'snippet.created',
  'wiki_page.created',
  'wiki_page.updated',
  'wiki_page.destroyed',
] as const satisfies readonly DomainEventType[];
type FeedEvent = { [T in (typeof FEED_EVENTS)[number]]: RecordedEvent<T> & { type: T } }[(typeof FEED_EVENTS)[number]];

const HOUR_MS = 3_600_000;

/** The action in an event type of the form `object.action`. */
const verbOf = (type: string) => type.split('.')[1] as Event['action'];

const about = (event: FeedEvent, target_type: Event['target_type'], target_id: number | null): Entry => ({
  action: verbOf(event.type),
  target_type,
  target_id,
});

/** The feed entries of an event; null if it has no author or no project. */
async function feedOf(deps: Deps, event: FeedEvent): Promise<FeedEntries | null> {
  const { project_id: projectId, actor_id: actorId } = event;
  const by = (authorId: number | null, ...entries: Entry[]): FeedEntries | null =>
    authorId === null || projectId === null ? null : { projectId, authorId, entries };
  switch (event.type) {
    case 'push':
      return by(actorId, ...(await pushFeed(deps, event)));
    case 'project.created':
      return by(actorId, about(event, 'Project', event.payload.project_id));
    case 'member.added':
      return by(event.payload.user_id, { action: 'joined', target_type: null, target_id: null });
    case 'member.removed':
      // An expired membership has no actor.
      return by(event.payload.user_id, {
        action: actorId === null ? 'expired' : 'left',
        target_type: null,
        target_id: null,
      });
    case 'issue.created':
    case 'issue.closed':
    case 'issue.reopened':
      return by(actorId, about(event, 'Issue', event.payload.issue_id));
    case 'merge_request.approved':
      return by(event.payload.user_id, about(event, 'MergeRequest', event.payload.merge_request_id));
    case 'merge_request.created':
    case 'merge_request.closed':
    case 'merge_request.reopened':
    case 'merge_request.merged':
      return by(actorId, about(event, 'MergeRequest', event.payload.merge_request_id));
    case 'milestone.destroyed':
      return by(actorId, about(event, 'Milestone', null));
    case 'milestone.created':
    case 'milestone.closed':
    case 'milestone.reopened':
      return by(actorId, about(event, 'Milestone', await milestoneThere(deps.db, event.payload.milestone_id)));
    case 'snippet.created':
      return by(actorId, about(event, 'Snippet', event.payload.snippet_id));
    case 'wiki_page.created':
    case 'wiki_page.updated':
    case 'wiki_page.destroyed':
      return by(actorId, about(event, 'WikiPage::Meta', event.payload.wiki_page_id));
    case 'note.created': {
      const note = await deps.db
        .selectFrom('notes')
        .select(['id', 'author_id', 'type', 'system', 'noteable_type', 'noteable_id'])
        .where('id', '=', event.payload.note_id)
        .executeTakeFirst();
      if (note === undefined || note.system === 1) return null;
      const { id, author_id, type, noteable_type, noteable_id } = note;
      return by(author_id, {
        action: 'commented',
        target_type: type ?? 'Note',
        target_id: id,
        noteable_type,
        noteable_id,
      });
    }
  }
}

/** Id of the milestone; null if it no longer exists. */
async function milestoneThere(db: Db, id: number): Promise<number | null> {
  const milestone = await db.selectFrom('milestones').select('id').where('id', '=', id).executeTakeFirst();
  return milestone?.id ?? null;
}

const placeOfProject = prepared((db, { id }: { id: number }) =>
  db.selectFrom('projects').select(['id', 'repository_storage', 'disk_path']).where('id', '=', id),
);

async function pushFeed(deps: Deps, { payload }: RecordedEvent<'push'>): Promise<Entry[]> {
  const { push_event_activities_limit } = await applicationSettings(deps);
  let repo: Repository | null = null;
  if (!isRecordedSynchronously(payload)) {
    const [project] = await placeOfProject(deps.db, { id: payload.project_id });
    if (project === undefined) return [];
    repo = repositoryOf(deps, ofProject(project));
  }
  const pushes = await pushEntries(repo, payload, push_event_activities_limit);
  return pushes.map((push) => ({
    action: 'pushed',
    target_type: null,
    target_id: null,
    push_data: JSON.stringify(push),
  }));
}

type Owners = Pick<FeedEntries, 'authorId' | 'projectId'>;
const owners = (db: Db, { authorId, projectId }: Owners) =>
  db
    .selectFrom('users')
    .innerJoin('projects', (join) => join.on('projects.id', '=', projectId))
    .select('users.id')
    .where('users.id', '=', authorId);
/** Whether the author and the project of an entry still exist. */
const bothThere = prepared(owners);
/** As `bothThere`, and locks them against deletion on PostgreSQL until the transaction ends. */
const bothHeld = prepared((db, ids: Owners) => owners(db, ids).forKeyShare());

const insertEntries = prepared((db, rows: Columns<Insertable<Schema['events']>>) =>
  db
    .insertInto('events')
    .values(rowsOf(rows))
    .onConflict((conflict) => conflict.columns(['domain_event_id', 'ordinal']).doNothing()),
);

/** Writes the entries of a push in the transaction of the event, if git is not needed. */
async function writeSynchronously(deps: Deps, event: FeedEvent, db: Db): Promise<boolean> {
  if (event.type !== 'push' || !isRecordedSynchronously(event.payload)) return false;
  const inside = transactionDeps(deps, db);
  const feed = await feedOf(inside, event);
  // A push has already updated `last_activity_at`.
  if (feed !== null && feed.entries.length > 0) await enter(inside, event, feed);
  return true;
}

/** Writes the feed entries of an event; idempotent. */
async function write(deps: Deps, event: FeedEvent): Promise<void> {
  if (event.type === 'milestone.destroyed') await forgetMilestone(deps.db, event.payload.milestone_id);
  const feed = await feedOf(deps, event);
  if (feed === null || feed.entries.length === 0) return;
  await deps.db.transaction().execute(async (db) => {
    if (!(await enter(transactionDeps(deps, db), event, feed))) return;
    const due = new Date(Date.parse(event.created_at) - HOUR_MS).toISOString();
    await touchProject(db, { id: feed.projectId, at: event.created_at, due });
  });
}

/** Inserts feed entries, unless the author or the project was deleted in the meantime. */
async function enter(
  { db, config }: Deps,
  event: FeedEvent,
  { authorId, projectId, entries }: FeedEntries,
): Promise<boolean> {
  const held = config.database.kind === 'postgres' ? bothHeld : bothThere;
  if ((await held(db, { authorId, projectId })).length === 0) return false;
  const rows = entries.map((entry, ordinal) => ({
    noteable_type: null,
    noteable_id: null,
    push_data: null,
    ...entry,
    id: eventId(event.id, ordinal),
    author_id: authorId,
    project_id: projectId,
    domain_event_id: event.id,
    ordinal,
    created_at: event.created_at,
  }));
  await insertEntries(db, columnsOf(rows));
  return true;
}

/** Updates `last_activity_at` of a project, accurate to the hour; pushes set it exactly. */
const touchProject = prepared((db, { id, at, due }: { id: number; at: string; due: string }) =>
  db.updateTable('projects').set({ last_activity_at: at }).where('id', '=', id).where('last_activity_at', '<', due),
);

/** Clears the target of entries about a deleted milestone; the entries stay. */
const forgetMilestone = (db: Db, id: number) =>
  db
    .updateTable('events')
    .set({ target_id: null })
    .where('target_type', '=', 'Milestone')
    .where('target_id', '=', id)
    .execute();

/** Whether an event belongs in the feed. Events of groups or without an actor, and system notes, do not. */
function belongs(event: FeedEvent): boolean {
  if (event.type === 'milestone.destroyed') return true;
  if (event.project_id === null) return false;
  return event.type !== 'note.created' || event.payload.note?.system !== 1;
}

/**
 * Registers the activity feed (part 1, section 4.11). Jobs write its entries from domain events, possibly out of order
 * and repeatedly: id and time of an entry derive from the event, so that lists are ordered and free of duplicates.
 */
export function registerActivityFeed(deps: Deps): void {
  deps.events.subscribe({
    name: 'activity-feed',
    types: FEED_EVENTS,
    wants: (event) => belongs(event as FeedEvent),
    synchronous: (event, db) => writeSynchronously(deps, event as FeedEvent, db),
    handle: (event) => write(deps, event as FeedEvent),
  });
}
