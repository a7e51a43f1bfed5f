import { pluck } from '../../../core/pluck.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import { issueLinksOf } from '../../../integrations/trackers/trackers.issue-links.ts';
import { usersById } from '../../identity/index.ts';
import type { Dispatch } from '../mails/dispatch.ts';
import { diffHunkOf } from '../mails/hunk.ts';
import { type Block, line, markdownBlock } from '../mails/notification-mails.block.ts';
import { modelHeaders, projectHeaders } from '../mails/notification-mails.headers.ts';
import { type Candidate, candidates } from '../recipients/candidate.ts';
import { mentionedIn } from '../recipients/mentioned.ts';
import { watchersOf } from '../recipients/recipients.watchers.ts';
import { loadParticipants } from './message-participants.ts';
import { actorName } from './messages.changes.ts';
import { baseOf } from './messages.issues.ts';
import { type CommentedNoteable, commentedNoteable } from './noteables.ts';

/** Maximum number of earlier comments in the references of a mail. */
const MAX_BEFORE = 20;
/** Maximum number of comments of a review in a mail. */
const MAX_SHOWN = 100;

/** Mails about a new comment; undefined if it no longer exists. */
export async function noteMessages(deps: Deps, noteId: number): Promise<Dispatch | undefined> {
  const note = await deps.db.selectFrom('notes').selectAll().where('id', '=', noteId).executeTakeFirst();
  const on = note && (await commentedNoteable(deps, note, [noteId]));
  if (note === undefined || on === undefined || note.system === 1) return undefined;
  const before = [on.root, ...(await earlier(deps, note)).map((id) => `note_${id}`)];
  return dispatchOf(deps, on, [note], { own: `note_${note.id}`, before });
}

/**
 * Mails about a review: one with all its comments, with internal ones only for users who may read these.
 * @param ids ids of the comments
 */
export async function reviewMessages(
  deps: Deps,
  ids: readonly number[],
): Promise<Record<'all' | 'internal', MaybeDispatch>> {
  const shown = ids.slice(0, MAX_SHOWN);
  const notes = await deps.db.selectFrom('notes').selectAll().where('id', 'in', shown).orderBy('id').execute();
  const [internal, open] = [1, 0].map((value) => notes.filter((note) => note.internal === value));
  return { all: await reviewOf(deps, open!), internal: await reviewOf(deps, internal!) };
}
type MaybeDispatch = Dispatch | undefined;

async function reviewOf(deps: Deps, notes: readonly Note[]): Promise<MaybeDispatch> {
  const [first] = notes;
  if (first === undefined) return undefined;
  const on = await commentedNoteable(deps, first, pluck(notes, 'id'));
  return on && dispatchOf(deps, on, notes, { own: `review_${first.id}`, before: [on.root] });
}

async function dispatchOf(
  deps: Deps,
  on: CommentedNoteable,
  notes: readonly Note[],
  thread: { own: string; before: string[] },
): Promise<Dispatch> {
  const { place, topic, subject, url, headers, followed } = on;
  const [first] = notes;
  const note = first!;
  const author = (await usersById(deps.db, [note.author_id])).get(note.author_id) ?? null;
  const blocks: Block[] = [line(`${actorName(author)} ${notes.length === 1 ? 'commented' : 'reviewed it'}:`)];
  const issues = await issueLinksOf(deps, place.project.id);
  for (const each of notes) {
    blocks.push(
      ...(await diffHunkOf(deps, place.project, each)),
      await markdownBlock(each.note, baseOf(deps, place), issues),
    );
  }
  const text = notes.map((each) => each.note).join('\n\n');
  const { all, unsubscribed } = await peopleOf(deps, on, note);
  const news = {
    eventKind: 'new_note',
    candidates: [...all, ...(await mentionedIn(deps, { place, actor: author }, text))],
    actorId: note.author_id,
    unsubscribed,
  } as const;
  return {
    topic,
    parts: [{ sentences: blocks, message: news }],
    draft: {
      subject: `Re: ${subject}`,
      body: [],
      url: `${url}#note_${note.id}`,
      thread,
      headers: {
        ...projectHeaders(deps, place),
        ...headers,
        ...modelHeaders('Note', { id: note.id }),
        'X-GitLab-Discussion-ID': note.discussion_id,
      },
      followed,
      actor: author,
    },
  };
}

async function peopleOf(
  deps: Deps,
  { place, affected, authorId }: CommentedNoteable,
  note: Note,
): Promise<{ all: Candidate[]; unsubscribed: ReadonlySet<number> }> {
  if (affected !== null) return loadParticipants(deps, place, affected);
  const people = [...(authorId === null ? [] : [authorId]), ...(await commentersOf(deps, note))];
  const all = [...candidates(people, 'participating'), ...(await watchersOf(deps, place))];
  return { all, unsubscribed: new Set() };
}

/** Users who commented on the same commit or snippet. */
async function commentersOf({ db }: Deps, { project_id, noteable_type, noteable_id, commit_id }: Note) {
  const rows = await db
    .selectFrom('notes')
    .select('author_id')
    .distinct()
    .where('noteable_type', '=', noteable_type)
    .where('system', '=', 0)
    .$if(noteable_id !== null, (query) => query.where('noteable_id', '=', noteable_id))
    .$if(noteable_id === null, (query) => query.where('commit_id', '=', commit_id).where('project_id', '=', project_id))
    .execute();
  return rows.map(({ author_id }) => author_id);
}

/** Ids of the preceding comments in a thread, oldest first. */
async function earlier({ db }: Deps, { id, discussion_id, noteable_type, noteable_id, commit_id }: Note) {
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('discussion_id', '=', discussion_id)
    .where('noteable_type', '=', noteable_type)
    .where('noteable_id', noteable_id === null ? 'is' : '=', noteable_id)
    .where('commit_id', commit_id === null ? 'is' : '=', commit_id)
    .where('system', '=', 0)
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(MAX_BEFORE)
    .execute();
  return rows.map((row) => row.id).reverse();
}
