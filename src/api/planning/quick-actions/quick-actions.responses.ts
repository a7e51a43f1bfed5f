import type { Note } from '../../../db/tables/notes.table.ts';
import type { BaseContext, Success } from '../../../http/http.route.ts';
import type { Noteable } from '../notes/noteable.ts';
import { NoteCommands } from '../notes/notes.responses.ts';
import { presentOne } from '../notes/notes.views.ts';
import type { CommentResult } from './quick-actions.comment.ts';

/** Of a text whose quick actions act. */
export const QUICK_ACTIONS_DESCRIPTION =
  'Quick actions in the text (`/close`, `/label ~bug`, ...) act, with the rights of the caller, and are taken out of it. ' +
  'With quick actions alone no note is left, and the answer is 202.';

/** The second success of routes that write notes: no note is left of quick actions alone. */
export const commandsOnly: Success = {
  status: 202,
  schema: NoteCommands,
  description: 'There were quick actions alone.',
};

/** A note with what its quick actions did; without a note that alone, as 202. @param present shows a note, as the API does by default */
export async function presentComment(
  { deps, reply }: Pick<BaseContext, 'deps' | 'reply'>,
  noteable: Pick<Noteable, 'iid'>,
  { note, changes, summary }: CommentResult,
  present: (note: Note) => Promise<unknown> = (note) => presentOne(deps, noteable, note, changes),
): Promise<unknown> {
  if (note !== null) return present(note);
  reply.code(202);
  return { commands_changes: changes, summary };
}
