import { notFound } from '../../../core/core.errors.ts';
import type { Deps } from '../../../deps.ts';
import { bufferOver } from '../../../git/common/index.ts';
import { ask, type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { Serialized } from '../../../http/http.send.ts';
import { FOLDER_PAGE, type Part, pageOfAll } from './folder-page.ts';

/** The requested part of a tree. */
export interface TreeQuery {
  ref: string | undefined;
  path: string | undefined;
  /** Whether to include everything below the folder. */
  recursive: boolean;
}

/** A page of a folder. */
export interface TreePage {
  json: Serialized;
  /** Total number of entries. */
  total: number;
  /** As in `EntryPage`. */
  next: string | null;
}

/**
 * Returns a page of a folder at a branch, tag or commit.
 * @throws ApiError 404 `404 Tree Not Found`, or `404 invalid revision or path Not Found` if the folder is missing; 400
 * if no entry matches the token
 */
export async function treePage(
  deps: Deps,
  repo: Repository,
  { ref, path, recursive }: TreeQuery,
  part: Part,
): Promise<TreePage> {
  const revision = await resolveRevision(repo, ref || 'HEAD');
  if (revision === null) throw notFound('Tree');
  const folder = (path ?? '').replace(/^\/|\/$/g, '');
  const key = `tree:${repo.id}:${revision.oid}:${JSON.stringify([recursive, part.from, part.size, folder])}`;
  const known = deps.immutableResponses.peek(key);
  if (known !== undefined) {
    return { json: known.json, total: Number(known.headers.total), next: known.headers.next ?? null };
  }
  const page = recursive
    ? await pageOfAll(repo, revision.oid, folder, part)
    : await ask(repo, FOLDER_PAGE, revision.oid, folder, part);
  if (page === null) throw notFound('invalid revision or path');
  const { bytes, etag, total, next } = page;
  const headers = { total: String(total), ...(next === null ? {} : { next }) };
  const { json } = deps.immutableResponses.setBody(key, new Serialized(bufferOver(bytes), etag), headers);
  return { json, total, next };
}
