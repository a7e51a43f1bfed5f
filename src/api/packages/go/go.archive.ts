import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Repository } from '../../../git/git.repository.ts';
import type { ModuleFile } from './go.files.ts';

/** Files up to here are read whole by the warm reader; larger ones stream. */
const MAX_IN_MEMORY = 4 * 1024 * 1024;
const PER_FILE = 1_000;

/** Bytes of memory that making an archive of them takes. */
export const memoryOf = (files: readonly ModuleFile[]): number => 2 * MAX_IN_MEMORY + files.length * PER_FILE;

/**
 * The archive of a version of a module, written while it is read; each file is opened when it is its turn.
 * @param prefix folder of all that is in it: `<module>@<version>`
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
  if (blob === null) throw new Error('a file is gone');
  if (blob.data === null) return repo.objects.stream(oid, { signal });
  return Readable.from(blob.data.length === 0 ? [] : [blob.data], { objectMode: false });
}
