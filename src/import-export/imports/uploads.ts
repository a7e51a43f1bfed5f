import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { type Entry, extract } from 'tar-stream';
import { timestamp } from '../../core/clock.ts';
import { isUniqueViolation } from '../../db/errors.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import { BlobError } from '../../storage/blob-store.ts';
import type { Importing } from './importing.ts';

const MIB = 1024 * 1024;
/** Files of an archive that are looked at. */
const MAX_FILES = 200_000;
const SECRET = /^[0-9a-f]{32}$/;
const NAME = /^(?!\.{1,2}$)[^/\\\0-\x1f\x7f]{1,255}$/;

/** A file that was not taken, and why. */
export type PassedOver = (title: string, message: string) => Promise<void>;

async function enter(
  { deps, place }: Importing,
  secret: string,
  filename: string,
  entry: Entry,
): Promise<string | null> {
  const column = `${place.kind}_id` as const;
  const known = await deps.db
    .selectFrom('uploads')
    .select('id')
    .where(column, '=', place.id)
    .where('secret', '=', secret)
    .where('filename', '=', filename)
    .executeTakeFirst();
  if (known !== undefined) {
    entry.resume();
    return null;
  }
  const { max_attachment_size } = await applicationSettings(deps);
  const maxBytes = max_attachment_size === 0 ? Number.MAX_SAFE_INTEGER : max_attachment_size * MIB;
  const content = Readable.from(entry as AsyncIterable<Buffer>, { objectMode: false });
  try {
    const { sha256, size } = await deps.blobs.put(content, { maxBytes });
    await deps.db
      .insertInto('uploads')
      .values({
        project_id: place.kind === 'project' ? place.id : null,
        group_id: place.kind === 'group' ? place.id : null,
        secret,
        filename,
        sha256,
        size,
        uploaded_by_id: null,
        created_at: timestamp(deps.clock),
      })
      .execute();
    return null;
  } catch (error) {
    if (isUniqueViolation(error)) return 'A file of the same address is on this server already.';
    if (!(error instanceof BlobError) || error.code !== 'too_large') throw error;
    // The rest of it stands before the next file.
    await finished(content.resume());
    return 'The file is larger than administrators allow.';
  }
}

/**
 * Takes the files of an archive over: nothing but plain files `<secret>/<name>`, whatever else it says.
 * @param archive a tar, unpacked
 * @returns how many files it has, and how many of them were taken
 */
export async function takeUploads(
  importing: Importing,
  archive: AsyncIterable<Buffer>,
  passedOver: PassedOver,
): Promise<{ found: number; taken: number }> {
  const reading = extract();
  let [found, taken] = [0, 0];
  const fed = pipeline(archive, reading);
  // Told where it is waited for.
  fed.catch(() => {});
  for await (const entry of reading as AsyncIterable<Entry>) {
    const { name, type } = entry.header;
    const [secret = '', file = '', ...more] = name.replace(/^\.\//, '').split('/');
    const fits = type === 'file' && more.length === 0 && SECRET.test(secret) && NAME.test(file);
    if (fits) {
      found += 1;
      if (found > MAX_FILES) break;
      const problem = await enter(importing, secret, file, entry);
      if (problem === null) taken += 1;
      else await passedOver(file, problem);
    } else {
      entry.resume();
    }
  }
  await fed;
  return { found, taken };
}
