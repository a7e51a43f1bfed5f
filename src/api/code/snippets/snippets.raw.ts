import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import { notFound } from '../../../core/core.errors.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { matchesEtag } from '../../../http/http.send.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { SNIPPET_REF, snippetFiles } from '../../../repositories/snippet-files.ts';
import { filePath } from '../repository-files/repository-files.paths.ts';

/** Smaller blobs are sent from memory, larger ones streamed from git. */
const MAX_IN_MEMORY = 1024 * 1024;

interface Blob {
  repo: Repository;
  oid: string;
  path: string;
}

/** Returns the first file of a snippet. @throws ApiError 404 */
export async function firstFile(deps: Deps, snippet: Snippet): Promise<Blob> {
  const repo = repositoryOf(deps, snippet);
  const commit = await repo.refs.resolve(SNIPPET_REF);
  const [path] = commit === null ? [] : await snippetFiles(repo, commit);
  if (commit === null || path === undefined) throw notFound('File');
  return blobAt(repo, commit, path);
}

/** Returns a file of a snippet at a branch, tag or commit. @throws ApiError 400, 404 */
export async function fileAt(deps: Deps, snippet: Snippet, ref: string, input: string): Promise<Blob> {
  const path = filePath(input);
  const repo = repositoryOf(deps, snippet);
  const revision = await resolveRevision(repo, ref);
  if (revision === null) throw notFound('Reference');
  return blobAt(repo, revision.oid, path);
}

async function blobAt(repo: Repository, commit: string, path: string): Promise<Blob> {
  const entry = await entryAt(repo, commit, path);
  if (entry === null || entry.type !== 'blob') throw notFound('File');
  return { repo, oid: entry.oid, path };
}

/**
 * Sends the content of a file as plain text, so that no HTML or script is ever run. For a symbolic link it is the link
 * text, never its target.
 */
export async function sendText({ request, reply, signal }: BaseContext, { repo, oid, path }: Blob): Promise<unknown> {
  const etag = `"${oid}"`;
  reply.header('ETag', etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, etag)) return reply.code(304).send();
  const blob = await repo.objects.read(oid, MAX_IN_MEMORY);
  if (blob === null) throw notFound('File');
  reply
    .type('text/plain; charset=utf-8')
    .header('Content-Disposition', contentDisposition('inline', basename(path)))
    .header('Content-Length', String(blob.size));
  // An empty stream keeps the Content-Length header.
  if (request.method === 'HEAD') return Readable.from([]);
  return blob.data ?? repo.objects.stream(oid, { signal });
}
