import { hash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { Readable } from 'node:stream';
import { refused } from '../../../core/core.errors.ts';
import { contentDisposition } from '../../../http/http.headers.ts';
import type { BaseContext } from '../../../http/http.route.ts';
import { matchesEtag } from '../../../http/http.send.ts';
import type { StoredArtifact } from '../../../pipelines/artifacts/pipeline-artifacts.read.ts';
import { ArchiveError } from '../../../storage/zip/archive-error.ts';
import { checkPath, findDirectory, findFile } from './artifacts.find.ts';

/** Memory used while unpacking a file. */
const STREAM_BYTES = 1024 * 1024;

/**
 * Sends a single file of an archive, unpacking it on the fly; 304 if the client has it.
 * @throws ApiError 400 for a path outside of the archive, 404; 422 if it cannot be unpacked
 */
export async function sendFile(
  c: BaseContext,
  archive: StoredArtifact,
  path: string,
  contentType: string,
): Promise<Readable | undefined> {
  const { deps, request, reply } = c;
  checkPath(path);
  const directory = await findDirectory(deps, archive);
  const entry = findFile(directory, path);
  const etag = `"${hash('sha256', `${archive.sha256} ${entry.offset}`)}"`;
  reply.header('ETag', etag).header('Cache-Control', 'max-age=0, private, must-revalidate');
  const known = request.headers['if-none-match'];
  if (known !== undefined && matchesEtag(known, etag)) {
    reply.code(304).send();
    return undefined;
  }
  const open = async () => {
    try {
      return await deps.archives.open(archive, directory, entry);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      throw refused(`The file cannot be unpacked: ${error.message}. Download the whole archive.`, 422);
    }
  };
  const stream = request.method === 'HEAD' ? Readable.from([]) : await c.stream(STREAM_BYTES, open);
  reply.header('Content-Type', contentType).header('Content-Length', String(entry.size));
  reply.header('Content-Disposition', contentDisposition('attachment', basename(path)));
  reply.header('Content-Transfer-Encoding', 'binary');
  return stream;
}
