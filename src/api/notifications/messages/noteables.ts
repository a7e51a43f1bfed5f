import { asciiLower } from '../../../db/like.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError } from '../../../git/common/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { projectUrl, snippetUrls } from '../../code/index.ts';
import { usersWithAddresses } from '../../identity/index.ts';
import { issueUrl, mergeRequestUrl } from '../../planning/index.ts';
import { modelHeaders } from '../mails/notification-mails.headers.ts';
import { type ProjectContext, projectContextOf } from '../recipients/project-context.ts';
import type { Subscribable } from '../recipients/recipients.subscriptions.ts';
import type { Topic } from '../topics/topic.ts';
import type { AffectedIssuable } from './message-participants.ts';
import { issueHeaders, issueSubject } from './messages.issues.ts';
import { mergeRequestSubject } from './subjects.ts';

/** A noteable, as named in mails about its comments. */
export interface CommentedNoteable {
  place: ProjectContext;
  topic: Topic;
  subject: string;
  url: string;
  headers: Record<string, string>;
  /** Id of the mail that starts its thread. */
  root: string;
  followed: Subscribable | null;
  /** The issue or merge request, if it is one. */
  affected: AffectedIssuable | null;
  /** Id of its author, if known. */
  authorId: number | null;
}

type On = Pick<Note, 'noteable_type' | 'noteable_id' | 'commit_id' | 'project_id'>;

/** The noteable of notes; undefined if it was deleted or has no project. */
export async function commentedNoteable(
  deps: Deps,
  on: On,
  noteIds: readonly number[],
): Promise<CommentedNoteable | undefined> {
  const place = on.project_id === null ? undefined : await projectContextOf(deps.db, on.project_id);
  if (place === undefined) return undefined;
  switch (on.noteable_type) {
    case 'Issue':
      return onIssue(deps, place, on.noteable_id!, noteIds);
    case 'MergeRequest':
      return onMergeRequest(deps, place, on.noteable_id!, noteIds);
    case 'Snippet':
      return onSnippet(deps, place, on.noteable_id!, noteIds);
    case 'Commit':
      return onCommit(deps, place, on.commit_id!, noteIds);
  }
}

type NoteableLookup = Promise<CommentedNoteable | undefined>;
type Ids = readonly number[];

async function onIssue(deps: Deps, place: ProjectContext, id: number, noteIds: Ids): NoteableLookup {
  const issue = await deps.db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
  if (issue === undefined) return undefined;
  return {
    place,
    topic: { type: 'Issue', id, noteIds },
    subject: issueSubject(place, issue),
    url: issueUrl(deps, place.project.full_path, issue.iid),
    headers: issueHeaders(issue),
    root: `issue_${id}`,
    followed: { type: 'Issue', id },
    affected: { type: 'Issue', id, author_id: issue.author_id },
    authorId: issue.author_id,
  };
}

async function onMergeRequest(deps: Deps, place: ProjectContext, id: number, noteIds: Ids): NoteableLookup {
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    place,
    topic: { type: 'MergeRequest', id, noteIds },
    subject: mergeRequestSubject(place, row),
    url: mergeRequestUrl(deps, place.project.full_path, row.iid),
    headers: modelHeaders('MergeRequest', row),
    root: `merge_request_${id}`,
    followed: { type: 'MergeRequest', id },
    affected: { type: 'MergeRequest', id, author_id: row.author_id },
    authorId: row.author_id,
  };
}

async function onSnippet(deps: Deps, place: ProjectContext, id: number, noteIds: Ids): NoteableLookup {
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  if (snippet === undefined) return undefined;
  return {
    place,
    topic: { type: 'Snippet', id, noteIds },
    subject: `${place.project.name} | ${snippet.title} ($${id})`,
    url: snippetUrls(deps, id, place.project.full_path).web_url,
    headers: modelHeaders('Snippet', { id }),
    root: `snippet_${id}`,
    followed: null,
    affected: null,
    authorId: snippet.author_id,
  };
}

async function onCommit(deps: Deps, place: ProjectContext, sha: string, noteIds: Ids): NoteableLookup {
  const commit = await repositoryOf(deps, place.project)
    .objects.commit(sha)
    .catch((error: unknown) => {
      if (error instanceof GitError) return null;
      throw error;
    });
  const [title = ''] = (commit?.message ?? '').split('\n');
  return {
    place,
    topic: { type: 'Commit', projectId: place.project.id, noteIds },
    subject: `${place.project.name} | ${title} (${sha.slice(0, 8)})`,
    url: `${projectUrl(deps, place.project)}/-/commit/${sha}`,
    headers: modelHeaders('Commit', { id: sha }),
    root: `commit_${sha}`,
    followed: null,
    affected: null,
    authorId: await userOf(deps, commit?.author.email),
  };
}

/** Id of the author of a commit, by confirmed e-mail address. */
async function userOf(deps: Deps, email: string | undefined): Promise<number | null> {
  if (email === undefined || email === '') return null;
  const [user] = await usersWithAddresses(deps.db, [asciiLower(email)]);
  return user?.id ?? null;
}
