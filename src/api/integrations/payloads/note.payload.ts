import { visibilityLevel } from '../../../core/access-levels.ts';
import type { NoteFacts } from '../../../core/event-facts.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';
import type { Deps } from '../../../deps.ts';
import { TextDecoding } from '../../../git/common/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { SNIPPET_REF } from '../../../repositories/snippet-files.ts';
import { snippetUrls } from '../../code/index.ts';
import { issueUrl, lineCode, mergeRequestUrl } from '../../planning/index.ts';
import { commitAt, commitPayload, orElse, webUrlOf } from './commits.payload.ts';
import { associationsOf } from './issuable.payload.ts';
import { issueAttributes, issueOf } from './issue.payload.ts';
import { mergeRequestAttributes, mergeRequestOf } from './merge-request-attributes.payload.ts';
import { orNull, utcText } from './payloads.times.ts';
import type { ProjectForPayload } from './projects.payload.ts';

/** A recorded note. */
export type NoteForPayload = NoteFacts & { id: number; project_id: number | null; noteable_type: string };

/** The object of a note, for payloads about its notes. */
export interface NoteablePayload {
  /** Key of the object in the payload. */
  key: 'issue' | 'merge_request' | 'snippet' | 'commit';
  attributes: object;
  /** URL of its page. */
  url: string;
  confidential: boolean;
}

/** Maximum size of a snippet's file in a payload. */
const MAX_CONTENT = 64 * 1024;

async function snippetPayload(deps: Deps, snippet: Snippet, fullPath: string): Promise<NoteablePayload> {
  const url = snippetUrls(deps, snippet.id, fullPath).web_url;
  const [name = ''] = parseJson<string[]>(snippet.file_names);
  return {
    key: 'snippet',
    url,
    confidential: false,
    attributes: {
      id: snippet.id,
      title: snippet.title,
      description: snippet.description,
      content: await contentOf(deps, snippet, name),
      author_id: snippet.author_id,
      project_id: snippet.project_id,
      created_at: utcText(snippet.created_at),
      updated_at: utcText(snippet.updated_at),
      file_name: name,
      type: 'ProjectSnippet',
      visibility_level: visibilityLevel(snippet.visibility),
      url,
    },
  };
}

/** Returns the content of a snippet's first file; empty if there is none, or it is large. */
async function contentOf(deps: Deps, snippet: Snippet, name: string): Promise<string> {
  const repo = repositoryOf(deps, snippet);
  return orElse(async () => {
    const head = await repo.refs.resolve(SNIPPET_REF);
    const entry = head === null || name === '' ? null : await entryAt(repo, head, name);
    const blob = entry?.type === 'blob' ? await repo.objects.read(entry.oid, MAX_CONTENT) : null;
    return blob?.data == null ? '' : await new TextDecoding().text(blob.data);
  }, '');
}

/**
 * Returns the current object of a note or reaction.
 * @param type type of the object; it is identified by id, commits by `sha`
 * @returns undefined if it was deleted
 */
export async function noteableOf(
  deps: Deps,
  project: ProjectForPayload,
  { type, id, sha }: { type: string; id: number | null; sha: string | null },
): Promise<NoteablePayload | undefined> {
  const { full_path: fullPath, id: projectId } = project.row;
  if (type === 'Commit') {
    const commit = sha === null ? null : await commitAt(repositoryOf(deps, project.row), sha);
    if (commit === null) return undefined;
    const attributes = commitPayload(commit, webUrlOf(deps, fullPath));
    return { key: 'commit', attributes, url: attributes.url, confidential: false };
  }
  if (id === null) return undefined;
  if (type === 'Issue') {
    const issue = await issueOf(deps.db, id, projectId);
    if (issue === undefined) return undefined;
    const company = await associationsOf(deps.db, 'Issue', id, {}, []);
    const attributes = issueAttributes(deps, issue, company, fullPath, utcText);
    const url = issueUrl(deps, fullPath, issue.iid);
    return { key: 'issue', attributes, url, confidential: issue.confidential === 1 };
  }
  if (type === 'MergeRequest') {
    const mergeRequest = await mergeRequestOf(deps, { merge_request_id: id, project_id: projectId }, {});
    if (mergeRequest === undefined) return undefined;
    const url = mergeRequestUrl(deps, fullPath, mergeRequest.row.iid);
    return {
      key: 'merge_request',
      attributes: mergeRequestAttributes(deps, mergeRequest, utcText),
      url,
      confidential: false,
    };
  }
  const snippet = await deps.db.selectFrom('snippets').selectAll().where('id', '=', id).executeTakeFirst();
  return snippet && (await snippetPayload(deps, snippet, fullPath));
}

interface Place {
  new_path?: string;
  old_line?: number | null;
  new_line?: number | null;
  position_type?: string;
}

function codeOf(position: Place | null): string | null {
  if (position?.position_type !== 'text' || position.new_path === undefined) return null;
  return lineCode(position.new_path, { old: position.old_line ?? null, new: position.new_line ?? null });
}

/** Attributes of a note in all payloads about it or its reactions. @param page URL of its object */
export function noteAttributes(note: NoteForPayload, page: string) {
  const position = note.position === null ? null : parseJson<Place>(note.position);
  return {
    id: note.id,
    note: note.note,
    description: note.note,
    noteable_type: note.noteable_type,
    noteable_id: note.noteable_id,
    author_id: note.author_id,
    project_id: note.project_id,
    commit_id: note.commit_id,
    discussion_id: note.discussion_id,
    type: note.type,
    system: note.system === 1,
    internal: note.internal === 1,
    attachment: null,
    line_code: codeOf(position),
    st_diff: null,
    position,
    original_position: position,
    change_position: null,
    created_at: utcText(note.created_at),
    updated_at: utcText(note.updated_at),
    updated_by_id: note.updated_by_id,
    resolved_at: orNull(utcText, note.resolved_at),
    resolved_by_id: note.resolved_by_id,
    resolved_by_push: null,
    url: `${page}#note_${note.id}`,
  };
}
