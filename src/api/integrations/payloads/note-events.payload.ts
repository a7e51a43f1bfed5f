import type { NoteFacts } from '../../../core/event-facts.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { type NoteForPayload, noteAttributes, noteableOf } from './note.payload.ts';
import { fullProjectPayload, projectOf, repositoryShort } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

type NoteEvent = RecordedEvent<'note.created' | 'note.updated'>;

/** System notes and notes of personal snippets have no payloads; neither has the mere resolution of a thread. */
const hasPayload = ({ payload }: NoteEvent): boolean =>
  payload.project_id !== null && payload.note?.system !== 1 && !('resolved' in payload && payload.resolved);

const isConfidential = ({ payload }: NoteEvent): boolean =>
  payload.note?.internal === 1 || payload.confidential === true;

/** Whether an event may be that of a comment that is not confidential. */
export const mayBePublic = (event: NoteEvent): boolean => hasPayload(event) && !isConfidential(event);

/** Whether an event may be that of a confidential comment: the issue may become so before delivery. */
export const mayBeConfidential = (event: NoteEvent): boolean =>
  hasPayload(event) && (isConfidential(event) || event.payload.noteable_type === 'Issue');

/** Returns the note as recorded with the event, else the current one; undefined if deleted. */
async function noteOf(db: Db, id: number, projectId: number | null, type: string, facts: NoteFacts | undefined) {
  // Events of earlier versions contain less.
  if (facts?.discussion_id !== undefined) return { ...facts, id, project_id: projectId, noteable_type: type };
  const row = await db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst();
  return row && { ...row, ...facts };
}

/** Hook payload for a comment in a project, as it was written; none for the mere resolution of a thread. */
export async function noteHookEvent(deps: Deps, event: NoteEvent): Promise<BuiltPayload | undefined> {
  const { note_id, project_id, noteable_type, note: facts, confidential } = event.payload;
  const note = await noteOf(deps.db, note_id, project_id, noteable_type, facts);
  if (note === undefined || note.system === 1) return undefined;
  const action = event.type === 'note.created' ? 'create' : 'update';
  return build(deps, note, action, event.actor_id, confidential);
}

async function build(
  deps: Deps,
  note: NoteForPayload,
  action: string,
  actorId: number | null,
  onConfidential?: boolean,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, note.project_id);
  if (project === undefined) return undefined;
  const on = { type: note.noteable_type, id: note.noteable_id, sha: note.commit_id };
  const noteable = await noteableOf(deps, project, on);
  if (noteable === undefined) return undefined;
  const secret = note.internal === 1 || onConfidential === true || noteable.confidential;
  const trigger = secret ? 'confidential_note' : 'note';
  return {
    trigger,
    projectId: project.row.id,
    payload: {
      object_kind: 'note',
      event_type: trigger,
      user: userPayloadOrNull(deps, await userOf(deps.db, actorId)),
      project_id: project.row.id,
      project: fullProjectPayload(deps, project),
      object_attributes: { ...noteAttributes(note, noteable.url), action },
      repository: repositoryShort(deps, project),
      [noteable.key]: noteable.attributes,
    },
  };
}

/** Returns the payload of the last comment as if just written, for tests of hooks; undefined if there is none. */
export async function sampleNote(
  deps: Deps,
  projectId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const note = await deps.db
    .selectFrom('notes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('system', '=', 0)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return note && (await build(deps, note, 'create', userId));
}
