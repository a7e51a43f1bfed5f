import { canReadSnippet } from '../../../access/access.snippets.ts';
import { findReferences, type Reference } from '../../../core/core.references.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Note } from '../../../db/tables/notes.table.ts';
import type { NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import { canReadIssue } from '../issues/issues.find.ts';
import { notifyTargets } from './notify-targets.ts';
import { type MentioningText, notifyOfCommitNote, syncMentions } from './references.mentions.ts';
import { Resolver } from './references.resolve.ts';
import { permissionsIn, referenceScopeOf, type Source } from './references.source.ts';
import { actorOf } from './viewer.ts';

type MayRead = MentioningText['mayRead'];

/** An object with a description, and its readers. */
interface Described {
  source: Source;
  text: string;
  mayRead: MayRead;
  /** Id of the user whose rights limit references if the system wrote the text. */
  authorId: number;
}

/** Processes references in the description of an issue, merge request or snippet; no effect if it no longer exists. */
export async function readDescription(
  deps: Deps,
  type: NoteableType,
  id: number,
  actorId: number | null,
): Promise<void> {
  const described = await load(deps, type, id);
  if (described === undefined) return;
  const { source, text, mayRead, authorId } = described;
  const references = findReferences(text, { externalUrl: deps.externalUrl() });
  const projectId = source.home?.project.id ?? null;
  const mentioning = { type, id, projectId, noteId: null, text, mayRead, actorId: actorId ?? authorId };
  await syncMentions(deps, mentioning, references);
  await tell(deps, source, references, actorId ?? authorId);
}

/** Processes references in a note. Internal notes mention users, but cause no cross references. */
export async function readNote(deps: Deps, noteId: number, actorId: number | null): Promise<void> {
  const note = await deps.db.selectFrom('notes').selectAll().where('id', '=', noteId).executeTakeFirst();
  if (note === undefined || note.system === 1) return;
  const references = findReferences(note.note, { externalUrl: deps.externalUrl() });
  if (note.noteable_type === 'Commit') return tellOfCommit(deps, note, references, actorId);
  const type = note.noteable_type;
  const described = await load(deps, type, note.noteable_id!);
  if (described === undefined) return;
  const { source, mayRead } = described;
  const mentioning = {
    type,
    id: note.noteable_id!,
    projectId: note.project_id,
    noteId: note.id,
    text: note.note,
    actorId: note.author_id,
  };
  await syncMentions(
    deps,
    { ...mentioning, mayRead: note.internal === 1 ? internal(deps, described) : mayRead },
    references,
  );
  if (note.internal === 0) await tell(deps, source, references, actorId ?? note.author_id);
}

async function tellOfCommit(
  deps: Deps,
  note: Note,
  references: readonly Reference[],
  actorId: number | null,
): Promise<void> {
  const { project_id, commit_id, author_id } = note;
  const scope = project_id === null ? undefined : await referenceScopeOf(deps, deps.db, project_id);
  if (scope === undefined || commit_id === null) return;
  const mayRead: MayRead = async (viewer) => (await permissionsIn(deps, viewer, scope)).can('read_code');
  await notifyOfCommitNote(deps, note, references, mayRead, author_id);
  await tell(
    deps,
    { type: 'Commit', id: null, iid: null, sha: commit_id, home: scope },
    references,
    actorId ?? author_id,
  );
}

async function tell(deps: Deps, source: Source, references: readonly Reference[], actorId: number): Promise<void> {
  if (references.every(({ type }) => type === 'user')) return;
  const author = await actorOf(deps, actorId);
  if (author === undefined) return;
  await notifyTargets(deps, author, new Resolver(deps, author, source.home), source, references);
}

const internal =
  (deps: Deps, { source, mayRead }: Described): MayRead =>
  async (viewer) =>
    source.home !== null &&
    (await permissionsIn(deps, viewer, source.home)).can('read_internal_note') &&
    mayRead(viewer);

const textOf = ({ title, description }: Pick<MergeRequest, 'title' | 'description'>): string =>
  `${title}\n\n${description ?? ''}`;

function load(deps: Deps, type: NoteableType, id: number): Promise<Described | undefined> {
  switch (type) {
    case 'Issue':
      return loadIssue(deps, id);
    case 'MergeRequest':
      return loadMergeRequest(deps, id);
    case 'Snippet':
      return loadSnippet(deps, id);
  }
}

async function loadIssue(deps: Deps, id: number): Promise<Described | undefined> {
  const issue = await deps.db.selectFrom('issues').selectAll().where('id', '=', id).executeTakeFirst();
  const scope = issue && (await referenceScopeOf(deps, deps.db, issue.project_id));
  if (issue === undefined || scope === undefined) return undefined;
  return {
    source: { type: 'Issue', id, iid: issue.iid, home: scope },
    text: textOf(issue),
    authorId: issue.author_id,
    mayRead: async (caller) =>
      canReadIssue(deps.db, { caller, permissions: await permissionsIn(deps, caller, scope) }, issue),
  };
}

async function loadMergeRequest(deps: Deps, id: number): Promise<Described | undefined> {
  const row = await deps.db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
  const scope = row && (await referenceScopeOf(deps, deps.db, row.project_id));
  if (row === undefined || scope === undefined) return undefined;
  return {
    source: { type: 'MergeRequest', id, iid: row.iid, home: scope },
    text: textOf(row),
    authorId: row.author_id,
    mayRead: async (viewer) => (await permissionsIn(deps, viewer, scope)).can('read_merge_request'),
  };
}

async function loadSnippet(deps: Deps, id: number): Promise<Described | undefined> {
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  if (snippet === undefined) return undefined;
  const scope = snippet.project_id === null ? null : await referenceScopeOf(deps, deps.db, snippet.project_id);
  if (scope === undefined) return undefined;
  return {
    source: { type: 'Snippet', id, iid: null, home: scope },
    text: textOf(snippet),
    authorId: snippet.author_id,
    mayRead: async (viewer) =>
      canReadSnippet(viewer, snippet, scope === null ? null : await permissionsIn(deps, viewer, scope)),
  };
}
