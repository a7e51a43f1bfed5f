import { changesOf, type WatchedAttributes } from '../../../audit/changes.audit.ts';
import { INSTANCE, recordAudit } from '../../../audit/record.audit.ts';
import { timestamp } from '../../../core/clock.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { Deps } from '../../../deps.ts';
import type { UploadedFile } from '../../../http/params/uploaded-file.ts';
import { APPEARANCE_KEY } from '../../../storage/unused-blobs.ts';
import { storePicture } from '../../identity/index.ts';
import { type AppearanceTexts, DEFAULT_TEXTS, PICTURES, type PictureName } from './appearance.responses.ts';

const MAX_PICTURE_KIB = 1_024;
/** Browsers accept only these formats as favicon. */
const FORMATS_OF: Partial<Record<PictureName, readonly string[]>> = { favicon: ['png', 'ico'] };
const COLORS = ['message_background_color', 'message_font_color'] as const;

/** The stored appearance: texts, and images as `<sha256>/<name>`. */
export type StoredAppearance = AppearanceTexts & Partial<Record<PictureName, string>>;

const WATCHED: WatchedAttributes<StoredAppearance> = Object.fromEntries(
  [...Object.keys(DEFAULT_TEXTS), ...PICTURES].map((name) => [
    name,
    { name: 'appearance_updated', as: name.replaceAll('_', ' ') } as const,
  ]),
);

/** Loads the appearance that administrators have set. */
export async function loadAppearance(db: Db): Promise<StoredAppearance> {
  const row = await db
    .selectFrom('instance_values')
    .select('value')
    .where('key', '=', APPEARANCE_KEY)
    .executeTakeFirst();
  return { ...DEFAULT_TEXTS, ...(row === undefined ? {} : parseJson<Partial<StoredAppearance>>(row.value)) };
}

/**
 * Changes the given attributes.
 * @param input an empty string removes an image
 * @throws ApiError 400 if a file is too large or not an image
 */
export async function changeAppearance(
  deps: Deps,
  input: Partial<AppearanceTexts> & Partial<Record<PictureName, UploadedFile | string>>,
): Promise<StoredAppearance> {
  const pictures: Partial<Record<PictureName, string | null>> = {};
  for (const name of PICTURES) {
    const value = input[name];
    if (value !== undefined) pictures[name] = await storePicture(deps, value, name, MAX_PICTURE_KIB, FORMATS_OF[name]);
  }
  const updated_at = timestamp(deps.clock);
  return deps.db.transaction().execute(async (db) => {
    // Writing first serializes concurrent changes.
    await db
      .insertInto('instance_values')
      .values({ key: APPEARANCE_KEY, value: '{}', updated_at })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ updated_at }))
      .execute();
    const before = await loadAppearance(db);
    const usual = COLORS.filter((name) => input[name] === '').map((name) => [name, DEFAULT_TEXTS[name]]);
    const changed = Object.fromEntries(
      Object.entries({ ...before, ...input, ...pictures, ...Object.fromEntries(usual) }).filter(
        ([, value]) => value !== null,
      ),
    ) as StoredAppearance;
    await db
      .updateTable('instance_values')
      .set({ value: JSON.stringify(changed) })
      .where('key', '=', APPEARANCE_KEY)
      .execute();
    await recordAudit(
      deps,
      db,
      changesOf(before, changed, WATCHED).map((entry) => ({
        ...entry,
        entity: INSTANCE,
        target: { id: 1, type: 'Appearance', details: 'Appearance' },
      })),
    );
    return changed;
  });
}
