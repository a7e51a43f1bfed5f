import { Type } from 'typebox';
import type { AbilityTarget } from '../../../access/ability-target.ts';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import { onObject } from '../../object-access.ts';
import type { Noteable, NoteableKind } from './noteable.ts';
import { findNote } from './notes.find.ts';

/** What an address of something that is discussed holds. */
export const noteableParams = (kind: NoteableKind) => ({ noteable_id: Type.Unsafe<number | string>(kind.key) });

/** What decides about abilities on what is discussed. */
export const noteableTarget = ({ authorId, locked }: Noteable, userId: number): AbilityTarget => ({
  is: (relation) => relation === 'author' && authorId === userId,
  locked,
});

/** What decides about abilities on a note: what the system wrote nobody changes. */
export const noteTarget = ({ locked }: Noteable, note: Note, userId: number): AbilityTarget => ({
  is: (relation) => relation === 'author' && note.author_id === userId,
  locked,
  sealed: note.system === 1,
});

/** Users who have an ability on what is discussed; handlers find it as `noteable`. */
export const onNoteable = (kind: NoteableKind, ability: ProjectAbility) =>
  onObject(
    {
      noun: kind.noun,
      sees: kind.read,
      params: noteableParams(kind),
      find: async (deps, scope, { noteable_id }) => ({ noteable: await kind.find(deps, scope, noteable_id) }),
      target: (_deps, { noteable }, { user }) => noteableTarget(noteable, user.id),
    },
    ability,
  );

/** Users who may change a note; handlers find it as `note`, and what it is on as `noteable`. */
export const onNote = (kind: NoteableKind) =>
  onObject(
    {
      noun: 'note',
      sees: kind.read,
      params: { ...noteableParams(kind), note_id: Type.Integer({ description: 'Id of the note.' }) },
      find: async (deps, scope, { noteable_id, note_id }) => {
        const noteable = await kind.find(deps, scope, noteable_id);
        return { noteable, note: await findNote(deps, scope, noteable, note_id) };
      },
      target: (_deps, { noteable, note }, { user }) => noteTarget(noteable, note, user.id),
    },
    'update_note',
  );
