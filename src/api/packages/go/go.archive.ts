import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Repository } from '../../../git/repository/index.ts';
import type { ModuleFile } from './go.files.ts';

/** Smaller files are read whole by the native reader; larger ones are streamed. */
const MAX_IN_MEMORY = 4 * 1024 * 1024;
const PER_FILE = 1_000;

/** Memory for creating an archive of the files, in bytes. */
export const memoryOf = (files: readonly ModuleFile[]): number => 2 * MAX_IN_MEMORY + files.length * PER_FILE;

/**
 * Streams the archive of a module version; each file is opened when it is written.
 * @param prefix folder of all files: `<module>@<version>`
 */
export function moduleArchive(
  repo: Repository,
  files: readonly ModuleFile[],
  { prefix, date, signal }: { prefix: string; date: Date; signal: AbortSignal },
): Readable {
  const zip = new ZipFile();
  const output = Readable.from(zip.outputStream as AsyncIterable<Buffer>, { objectMode: false });
  zip.on('error', (error) => output.destroy(error));
  for (const { path, oid, size } of files) {
    zip.addReadStreamLazy(`${prefix}/${path}`, { mtime: date, mode: 0o100_644, size }, (done) => {
      contentOf(repo, oid, signal)
        .then((content) => done(null, content))
        .catch((error: Error) => output.destroy(error));
    });
  }
  zip.end();
  return output;
}

async function contentOf(repo: Repository, oid: string, signal: AbortSignal): Promise<Readable> {
  signal.throwIfAborted();
  const blob = await repo.objects.read(oid, MAX_IN_MEMORY);
  if (blob === null) throw new Error('a file is missing');
  if (blob.data === null) return repo.objects.stream(oid, { signal });
  return Readable.from(blob.data.length === 0 ? [] : [blob.data], { objectMode: false });
}
