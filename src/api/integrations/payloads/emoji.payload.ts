import type { AwardFacts } from '../../../core/event-facts.ts';
import type { AwardEmoji } from '../../../db/tables/award-emoji.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { type NoteablePayload, noteAttributes, noteableOf } from './note.payload.ts';
import { utcText } from './payloads.times.ts';
import { fullProjectPayload, type ProjectForPayload, projectOf } from './projects.payload.ts';
import type { BuiltPayload } from './types.ts';
import { userOf, userPayloadOrNull } from './users.payload.ts';

/** A recorded reaction. */
type AwardForPayload = AwardFacts & Pick<AwardEmoji, 'id' | 'awardable_type' | 'awardable_id'>;

/** Returns the reaction as recorded with the event, else the current one; undefined if deleted. */
async function awardOf({ db }: Deps, { payload }: RecordedEvent<'emoji.awarded' | 'emoji.revoked'>) {
  const { award, award_id: id, awardable_id } = payload;
  const awardable_type = payload.awardable_type as AwardEmoji['awardable_type'];
  if (award !== undefined) return { ...award, id, awardable_type, awardable_id };
  return db.selectFrom('award_emoji').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Hook payload for a reaction in a project that is added or removed. */
export async function emojiHookEvent(
  deps: Deps,
  event: RecordedEvent<'emoji.awarded' | 'emoji.revoked'>,
): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, event.payload.project_id);
  const award = project && (await awardOf(deps, event));
  const action = event.type === 'emoji.awarded' ? 'award' : 'revoke';
  return award && (await build(deps, project!, award, action));
}

async function build(
  deps: Deps,
  project: ProjectForPayload,
  award: AwardForPayload,
  action: 'award' | 'revoke',
): Promise<BuiltPayload | undefined> {
  const on = await thingOf(deps, project, award);
  if (on === undefined) return undefined;
  const { key, attributes } = on.noteable;
  const note = on.note && noteAttributes(on.note, on.noteable.url);
  return {
    projectId: project.row.id,
    payload: {
      object_kind: 'emoji',
      event_type: action,
      user: userPayloadOrNull(deps, await userOf(deps.db, award.user_id)),
      project_id: project.row.id,
      project: fullProjectPayload(deps, project),
      object_attributes: {
        user_id: award.user_id,
        created_at: utcText(award.created_at),
        id: award.id,
        name: award.name,
        awardable_type: award.awardable_type,
        awardable_id: award.awardable_id,
        updated_at: utcText(award.updated_at),
        action,
        awarded_on_url: note?.url ?? on.noteable.url,
      },
      ...(note === undefined ? {} : { note }),
      [key === 'snippet' ? 'project_snippet' : key]: attributes,
    },
  };
}

/** Returns the object of a reaction; for a note, the note and its object. */
async function thingOf(
  deps: Deps,
  project: ProjectForPayload,
  { awardable_type: type, awardable_id: id }: AwardForPayload,
): Promise<{ note?: Note; noteable: NoteablePayload } | undefined> {
  if (type !== 'Note') {
    const noteable = await noteableOf(deps, project, { type, id, sha: null });
    return noteable && { noteable };
  }
  const note = await deps.db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst();
  if (note === undefined) return undefined;
  const on = { type: note.noteable_type, id: note.noteable_id, sha: note.commit_id };
  const noteable = await noteableOf(deps, project, on);
  return noteable && { note, noteable };
}

/** Returns the payload of the last reaction, for tests of hooks; undefined if there is none. */
export async function sampleEmoji(deps: Deps, projectId: number): Promise<BuiltPayload | undefined> {
  const project = await projectOf(deps, projectId);
  const award = await deps.db
    .selectFrom('award_emoji')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return project && award && (await build(deps, project, award, 'award'));
}
