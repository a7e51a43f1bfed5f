import { Type } from 'typebox';
import type { AbilityTarget } from '../../../access/ability-target.ts';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import { onObject } from '../../object-access.ts';
import type { Noteable, NoteableKind } from './noteable.ts';
import { findNote } from './notes.find.ts';

/** Path parameters of a noteable. */
export const noteableParams = (kind: NoteableKind) => ({ noteable_id: Type.Unsafe<number | string>(kind.key) });

/** Target for abilities on a noteable. */
export const noteableTarget = ({ authorId, locked }: Noteable, userId: number): AbilityTarget => ({
  is: (relation) => relation === 'author' && authorId === userId,
  locked,
});

/** Target for abilities on a note; system notes cannot be changed. */
export const noteTarget = ({ locked }: Noteable, note: Note, userId: number): AbilityTarget => ({
  is: (relation) => relation === 'author' && note.author_id === userId,
  locked,
  sealed: note.system === 1,
});

/** Access for users with an ability on a noteable; the handler gets it as `noteable`. */
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

/** Access for users who may change a note; the handler gets `note` and `noteable`. */
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
