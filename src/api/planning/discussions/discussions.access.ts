import { Type } from 'typebox';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import { onObject } from '../../object-access.ts';
import type { NoteableKind } from '../notes/noteable.ts';
import { noteableParams, noteableTarget, noteTarget } from '../notes/notes.access.ts';
import { findDiscussion, noteIn } from './discussions.find.ts';

const discussionParams = (kind: NoteableKind) => ({
  ...noteableParams(kind),
  discussion_id: Type.String({ description: 'Id of the thread.' }),
});

/** Access for users with an ability in a thread; the handler gets its `notes` and its `noteable`. */
export const onDiscussion = (kind: NoteableKind, ability: ProjectAbility) =>
  onObject(
    {
      noun: kind.noun,
      sees: kind.read,
      params: discussionParams(kind),
      find: async (deps, scope, { noteable_id, discussion_id }) => {
        const noteable = await kind.find(deps, scope, noteable_id);
        return { noteable, notes: await findDiscussion(deps, scope, noteable, discussion_id) };
      },
      target: (_deps, { noteable }, { user }) => noteableTarget(noteable, user.id),
    },
    ability,
  );

/** Access for users with an ability on a note of a thread; the handler gets the `note` as well. */
export const onThreadNote = (kind: NoteableKind, ability: 'update_note' | 'change_thread_note') =>
  onObject(
    {
      // The author of a commit is unknown here.
      noun: ability === 'update_note' || kind.noun === 'commit' ? 'note' : `note or of the ${kind.noun}`,
      sees: kind.read,
      params: { ...discussionParams(kind), note_id: Type.Integer({ description: 'Id of the note.' }) },
      find: async (deps, scope, { noteable_id, discussion_id, note_id }) => {
        const noteable = await kind.find(deps, scope, noteable_id);
        return { noteable, note: noteIn(await findDiscussion(deps, scope, noteable, discussion_id), note_id) };
      },
      target: (_deps, { noteable, note }, { user }) => {
        const ofNote = noteTarget(noteable, note, user.id);
        if (ability === 'update_note') return ofNote;
        const ofNoteable = noteableTarget(noteable, user.id);
        return { ...ofNoteable, is: async (relation) => (await ofNote.is(relation)) || ofNoteable.is(relation) };
      },
    },
    ability,
  );
