import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Entry } from 'tar-stream';
import { timestamp } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import { BlobError } from '../../storage/blob-store.ts';
import { contentOf, tarFiles } from './import.tar.ts';
import type { ImportContext } from './import-context.ts';
import { secretElsewhere } from './upload-addresses.ts';

const MIB = 1024 * 1024;
const SECRET = /^[0-9a-f]{32}$/;
const NAME = /^(?!\.{1,2}$)[^/\\\0-\x1f\x7f]{1,255}$/;

/** Called for each skipped file, with the reason. */
export type SkippedFileHandler = (title: string, message: string) => Promise<void>;

/** An upload whose content is in the blob store. */
interface NewUpload {
  secret: string;
  filename: string;
  sha256: string;
  size: number;
}

/** Inserts an upload, under another secret if its own is taken by another owner; no effect if it already exists. */
export async function insertUpload(
  { deps, place }: { deps: Deps; place: Pick<ImportContext['place'], 'kind' | 'id'> },
  { secret, ...file }: NewUpload,
): Promise<void> {
  const owner = {
    project_id: place.kind === 'project' ? place.id : null,
    group_id: place.kind === 'group' ? place.id : null,
  };
  for (const candidateSecret of [secret, secretElsewhere(place, secret)]) {
    const made = await deps.db
      .insertInto('uploads')
      .values({ ...owner, ...file, secret: candidateSecret, uploaded_by_id: null, created_at: timestamp(deps.clock) })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made !== undefined) return;
    const own = await deps.db
      .selectFrom('uploads')
      .select('id')
      .where(`${place.kind}_id`, '=', place.id)
      .where('secret', '=', candidateSecret)
      .where('filename', '=', file.filename)
      .executeTakeFirst();
    if (own !== undefined) return;
  }
}

async function enter(context: ImportContext, secret: string, filename: string, entry: Entry): Promise<string | null> {
  const { deps } = context;
  const { max_attachment_size } = await applicationSettings(deps);
  const maxBytes = max_attachment_size === 0 ? Number.MAX_SAFE_INTEGER : max_attachment_size * MIB;
  const content = Readable.from(contentOf(entry), { objectMode: false });
  try {
    const { sha256, size } = await deps.blobs.put(content, { maxBytes });
    await insertUpload(context, { secret, filename, sha256, size });
    return null;
  } catch (error) {
    if (!(error instanceof BlobError) || error.code !== 'too_large') throw error;
    // The rest must be consumed before the next file.
    await finished(content.resume());
    return 'The file exceeds the maximum attachment size.';
  }
}

/**
 * Imports the uploads of an archive: only regular files `<secret>/<name>`.
 * @param archive uncompressed tar
 * @returns number of files, and of imported ones
 */
export async function importUploads(
  context: ImportContext,
  archive: AsyncIterable<Buffer>,
  onSkipped: SkippedFileHandler,
): Promise<{ fetched: number; imported: number }> {
  let [fetched, imported] = [0, 0];
  for await (const { name, entry } of tarFiles(archive)) {
    const [secret = '', file = '', ...more] = name.split('/');
    const fits = more.length === 0 && SECRET.test(secret) && NAME.test(file);
    if (fits) {
      fetched += 1;
      const problem = await enter(context, secret, file, entry);
      if (problem === null) imported += 1;
      else await onSkipped(file, problem);
    } else {
      entry.resume();
    }
  }
  return { fetched, imported };
}
