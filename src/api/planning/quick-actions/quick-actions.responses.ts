import type { Note } from '../../../db/tables/notes.table.ts';
import type { BaseContext, Success } from '../../../http/http.route.ts';
import type { Noteable } from '../notes/noteable.ts';
import { NoteCommands } from '../notes/notes.responses.ts';
import { presentOne } from '../notes/notes.views.ts';
import type { CommentResult } from './quick-actions.comment.ts';

/** Description of texts with quick actions. */
export const QUICK_ACTIONS_DESCRIPTION =
  'Quick actions in the text (`/close`, `/label ~bug`, ...) are executed with the rights of the caller and removed from it. ' +
  'A text of quick actions only creates no note and is answered with 202.';

/** The second success of routes that write notes: a text of quick actions only creates no note. */
export const commandsOnly: Success = {
  status: 202,
  schema: NoteCommands,
  description: 'The text had quick actions only.',
};

/**
 * Presents a note with the results of its quick actions; without a note, only these, with status 202.
 * @param present presents a note
 */
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
