import { pipeline } from 'node:stream/promises';
import { type Entry, extract } from 'tar-stream';
import { TarGuard } from '../../storage/tar-guard.ts';
import { InvalidImportFile } from './import.lines.ts';

/** Maximum number of entries of an archive, of any type. */
const MAX_ENTRIES = 200_000;

/**
 * The regular files of a tar. Each must be read (`contentOf`) or resumed before the next. Folders, links and devices
 * are skipped.
 * @param archive tar stream, gzipped or plain
 * @throws InvalidImportFile if it is not a tar, or exceeds limits of memory or entries; errors of `archive`
 */
export async function* tarFiles(archive: AsyncIterable<Buffer>): AsyncGenerator<{ name: string; entry: Entry }> {
  const guard = new TarGuard(() => new InvalidImportFile('The archive has an invalid or too long header.'));
  const reading = extract();
  const fed = pipeline(guard.watch(archive), reading);
  // The error is thrown where the promise is awaited.
  fed.catch(() => {});
  let entries = 0;
  try {
    for await (const entry of reading as AsyncIterable<Entry>) {
      guard.enter(entry.header);
      entries += 1;
      if (entries > MAX_ENTRIES) throw new InvalidImportFile(`The archive has more than ${MAX_ENTRIES} files.`);
      if (entry.header.type === 'file') yield { name: entry.header.name.replace(/^\.\//, ''), entry };
      else entry.resume();
    }
    await fed;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The content of a file of a tar. @throws InvalidImportFile if the tar is truncated; errors of the archive */
export async function* contentOf(entry: Entry): AsyncGenerator<Buffer, void, void> {
  try {
    yield* entry as AsyncIterable<Buffer>;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Converts errors of the tar parser, which has no error class of its own. */
function refusalOf(error: unknown): unknown {
  const isOfTar =
    error instanceof Error &&
    !(error instanceof InvalidImportFile) &&
    /tar|Unexpected end|Invalid/i.test(error.message);
  return isOfTar ? new InvalidImportFile('The file is not a tar archive.') : error;
}
