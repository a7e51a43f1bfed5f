import type { Static } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { encodePath } from '../../../core/core.paths.ts';
import { pluck } from '../../../core/pluck.ts';
import { parseJson } from '../../../db/columns.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Snippet as SnippetRow } from '../../../db/tables/snippets.table.ts';
import type { Deps } from '../../../deps.ts';
import { SNIPPET_BRANCH } from '../../../repositories/snippet-files.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import type { Snippet } from './snippets.responses.ts';

/**
 * URLs of a snippet: its page, its content, its repository.
 * @param fullPath full path of its project; null for a personal snippet
 */
export function snippetUrls(deps: Pick<Deps, 'externalUrl' | 'sshUrl'>, id: number, fullPath: string | null) {
  const base = deps.externalUrl();
  const prefix = fullPath === null ? '' : `${fullPath}/`;
  const web_url = `${base}/${prefix}-/snippets/${id}`;
  return {
    web_url,
    raw_url: `${web_url}/raw`,
    ssh_url_to_repo: deps.sshUrl(`${prefix}snippets/${id}.git`),
    http_url_to_repo: `${base}/${prefix}snippets/${id}.git`,
  };
}

/** Renders snippets with two queries in total. */
export async function presentSnippets(
  deps: Deps,
  caller: Caller,
  snippets: readonly SnippetRow[],
): Promise<Static<typeof Snippet>[]> {
  const authors = await usersById(deps.db, pluck(snippets, 'author_id'));
  const projects = await rowsById(deps.db, 'projects', pluck(snippets, 'project_id'), ['full_path']);
  return snippets.flatMap((snippet) => {
    const author = authors.get(snippet.author_id);
    const fullPath = snippet.project_id === null ? null : projects.get(snippet.project_id)?.full_path;
    // Deleted since it was read.
    if (author === undefined || fullPath === undefined) return [];
    const urls = snippetUrls(deps, snippet.id, fullPath);
    const files = parseJson<string[]>(snippet.file_names);
    return {
      id: snippet.id,
      title: snippet.title,
      description: snippet.description,
      visibility: snippet.visibility,
      author: userBasic(deps, author),
      created_at: snippet.created_at,
      updated_at: snippet.updated_at,
      expires_at: null,
      project_id: snippet.project_id,
      ...urls,
      file_name: (files[0] ?? '').toWellFormed(),
      files: files.map((path) => ({
        path: path.toWellFormed(),
        raw_url: `${urls.raw_url}/${SNIPPET_BRANCH}/${encodePath(path)}`,
      })),
      imported: false,
      imported_from: 'none',
      ...(caller.admin ? { repository_storage: snippet.repository_storage } : {}),
    };
  });
}
