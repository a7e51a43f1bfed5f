import { pipeline } from 'node:stream/promises';
import { type Entry, extract } from 'tar-stream';
import { TarGuard } from '../../storage/tar-guard.ts';
import { InvalidImportFile } from './import.lines.ts';

/** Files, folders and whatever else stands in an archive. */
const MAX_ENTRIES = 200_000;

/**
 * The plain files of a tar, each to be read (`contentOf`) or resumed before the next; folders, links and devices are passed over.
 * @param archive what gzip has packed, or not
 * @throws InvalidImportFile for what is no tar, or is made to fill the memory or to never end; what `archive` throws
 */
export async function* tarFiles(archive: AsyncIterable<Buffer>): AsyncGenerator<{ name: string; entry: Entry }> {
  const guard = new TarGuard(() => new InvalidImportFile('The headers of the archive are wrong, or too long.'));
  const reading = extract();
  const fed = pipeline(guard.watch(archive), reading);
  // Told where it is waited for.
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

/** The bytes of a file of a tar. @throws InvalidImportFile where the tar ends in the middle of it; what the archive throws */
export async function* contentOf(entry: Entry): AsyncGenerator<Buffer, void, void> {
  try {
    yield* entry as AsyncIterable<Buffer>;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** What is told of an error: the reader of tars has none of its own kind. */
function refusalOf(error: unknown): unknown {
  const isOfTar =
    error instanceof Error &&
    !(error instanceof InvalidImportFile) &&
    /tar|Unexpected end|Invalid/i.test(error.message);
  return isOfTar ? new InvalidImportFile('The file is no archive: there is no tar in it.') : error;
}
