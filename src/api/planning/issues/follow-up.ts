import type { UserCaller } from '../../../access/caller.ts';
import { invalidParameter } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import { usersById } from '../../identity/index.ts';
import { findDiscussion } from '../discussions/discussions.find.ts';
import { setResolvedInTransaction } from '../discussions/discussions.writes.ts';
import { findMergeRequest } from '../merge-requests/lifecycle/merge-requests.find.ts';
import { NOTEABLE_KINDS, type Noteable } from '../notes/noteable.ts';
import { notesOf } from '../notes/notes.find.ts';
import { requireResolve } from '../notes/notes.rights.ts';
import { isResolvable } from '../notes/notes.views.ts';
import { visibleNotes } from '../notes/notes.visible.ts';
import { writeSystemNote } from '../notes/system-note.ts';

type Scope = ProjectScope & { caller: UserCaller };

/** An issue that continues threads of a merge request. */
export interface FollowUp {
  /** Default title and description of the issue. */
  title: string;
  description: string | null;
  /** Resolves the threads, in the transaction that creates the issue. */
  resolve(db: Db, issue: Pick<Issue, 'iid'>): Promise<void>;
}

const MAX_NOTES = 500;
const MAX_QUOTE = 2_000;
const MAX_TITLE = 200;

/**
 * Loads the threads that a new issue continues, by the parameters of its creation.
 * @param mergeRequestIid number of a merge request of the project
 * @param discussionId one of its threads; defaults to all open ones
 * @returns null if the parameters name none
 * @throws ApiError 400 for a thread without its merge request, 403 if the caller may not resolve threads, 404
 */
export async function followUp(
  deps: Deps,
  scope: Scope,
  mergeRequestIid: number | undefined,
  discussionId: string | undefined,
): Promise<FollowUp | null> {
  if (mergeRequestIid === undefined) {
    if (discussionId === undefined) return null;
    throw invalidParameter('merge_request_to_resolve_discussions_of is missing');
  }
  const { title } = await findMergeRequest(deps.db, scope, mergeRequestIid);
  const noteable = await NOTEABLE_KINDS.merge_requests.find(deps, scope, mergeRequestIid);
  await requireResolve(scope, noteable);
  const notes =
    discussionId === undefined
      ? await openNotes(deps, scope, noteable)
      : (await findDiscussion(deps, scope, noteable, discussionId)).filter(isResolvable);
  const threads = [...Map.groupBy(notes, ({ discussion_id }) => discussion_id).values()];
  const authors = await usersById(
    deps.db,
    threads.map(([first]) => first!.author_id),
  );
  const address = `${deps.externalUrl()}/${scope.project.full_path}/-/merge_requests/${mergeRequestIid}`;
  return {
    title: `Follow-up from "${title.slice(0, MAX_TITLE)}"`,
    description: threads.length === 0 ? null : describe(threads, authors, mergeRequestIid, address),
    resolve: async (db, { iid }) => {
      for (const thread of threads) {
        await setResolvedInTransaction(deps, db, scope, noteable, thread, true);
        await tellContinued(deps, db, scope, noteable, thread[0]!, iid);
      }
    },
  };
}

/** The notes of all open threads that the caller may read. */
async function openNotes(deps: Deps, scope: Scope, noteable: Noteable): Promise<Note[]> {
  return deps.db
    .selectFrom('notes')
    .selectAll()
    .where(notesOf(noteable))
    .where(await visibleNotes(deps, scope, noteable))
    .where('type', 'is not', null)
    .where('system', '=', 0)
    .where('resolved_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(MAX_NOTES)
    .execute();
}

function describe(
  threads: readonly (readonly Note[])[],
  authors: ReadonlyMap<number, User>,
  iid: number,
  address: string,
): string {
  const items = threads.map(([first, ...others]) => {
    const who = authors.get(first!.author_id)?.username;
    const more = others.length === 0 ? '' : ` (+${others.length} comment${others.length === 1 ? '' : 's'})`;
    const quote = first!.note.slice(0, MAX_QUOTE).toWellFormed().replace(/^/gm, '    > ');
    return `- [ ] ${who === undefined ? 'Somebody' : `@${who}`} started a [discussion](${address}#note_${first!.id}):${more}\n\n${quote}`;
  });
  const what = threads.length === 1 ? 'The following discussion' : 'The following discussions';
  return `${what} from !${iid} should be addressed:\n\n${items.join('\n\n')}\n`;
}

/** Writes a note in a thread about the issue that continues it. */
async function tellContinued(deps: Deps, db: Db, { caller }: Scope, noteable: Noteable, first: Note, iid: number) {
  if (noteable.type !== 'MergeRequest') return;
  const text = `created #${iid} to continue this discussion`;
  const id = await writeSystemNote(deps, db, noteable, caller.user.id, 'discussion', text);
  const place = { discussion_id: first.discussion_id, type: 'DiscussionNote' as const };
  await db.updateTable('notes').set(place).where('id', '=', id).execute();
}
