import { timestamp } from '../../../core/clock.ts';
import type { FieldErrors } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ReleaseLink } from '../../../db/tables/release-links.table.ts';
import type { Deps } from '../../../deps.ts';
import type { NewLink } from './release-links.inputs.ts';
import { filepathOf, linkErrors, MAX_LINKS } from './release-links.rules.ts';

const UNIQUE = ['name', 'url', 'filepath'] as const;

/** Validates the links of a new release together; returns errors as sentences. */
export function newLinksErrors(links: readonly NewLink[]): string[] {
  if (links.length > MAX_LINKS) return [`Links are too many (maximum is ${MAX_LINKS})`];
  const seen = new Set<string>();
  const sentences = new Set<string>();
  for (const link of links) {
    const errors: FieldErrors = linkErrors(link);
    const row = { ...link, filepath: filepathOf(link) };
    for (const field of UNIQUE) {
      const value = row[field];
      if (value == null) continue;
      if (seen.has(`${field} ${value}`)) errors[field] = [...(errors[field] ?? []), 'has already been taken'];
      seen.add(`${field} ${value}`);
    }
    for (const [field, texts] of Object.entries(errors)) {
      for (const text of texts) sentences.add(`Links ${field} ${text}`);
    }
  }
  return [...sentences];
}

/** Returns the unique fields that another link of the release already uses. @param exceptId the link itself */
export async function duplicateLinkFields(
  db: Db,
  releaseId: number,
  link: { name?: string | undefined; url?: string | undefined; filepath?: string | null | undefined },
  exceptId = 0,
): Promise<FieldErrors> {
  const input = UNIQUE.flatMap((field) => (link[field] == null ? [] : ([[field, link[field]]] as const)));
  if (input.length === 0) return {};
  const rows = await db
    .selectFrom('release_links')
    .select(['name', 'url', 'filepath'])
    .where('release_id', '=', releaseId)
    .where('id', '!=', exceptId)
    .where((eb) => eb.or(input.map(([field, value]) => eb(field, '=', value))))
    .execute();
  return Object.fromEntries(
    input
      .filter(([field, value]) => rows.some((row) => row[field] === value))
      .map(([field]) => [field, ['has already been taken']]),
  );
}

/** Inserts validated links of a release. */
export async function insertLinks(
  { clock }: Deps,
  db: Db,
  releaseId: number,
  links: readonly NewLink[],
): Promise<ReleaseLink[]> {
  if (links.length === 0) return [];
  const now = timestamp(clock);
  return db
    .insertInto('release_links')
    .values(
      links.map((link) => ({
        release_id: releaseId,
        name: link.name,
        url: link.url,
        filepath: filepathOf(link) ?? null,
        link_type: link.link_type ?? 'other',
        created_at: now,
        updated_at: now,
      })),
    )
    .returningAll()
    .execute();
}
