import { timestamp } from '../../../core/clock.ts';
import { ApiError, type FieldErrors, notFound, refused } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ReleaseLink } from '../../../db/tables/release-links.table.ts';
import type { Deps } from '../../../deps.ts';
import type { ChangedLink, NewLink } from './release-links.inputs.ts';
import { duplicateLinkFields, insertLinks } from './release-links.insert.ts';
import { filepathOf, linkErrors, MAX_LINKS, sentencesOf } from './release-links.rules.ts';

/** 400 for an invalid link. */
const notValid = (errors: FieldErrors): ApiError => new ApiError(400, sentencesOf(errors).join(', '), { errors });

/** Validates the given attributes of a link. @throws ApiError 400 */
export function checkLink(input: ChangedLink): void {
  const errors = linkErrors(input);
  if (Object.keys(errors).length > 0) throw notValid(errors);
}

async function checkUnique(db: Db, releaseId: number, input: ChangedLink, exceptId?: number): Promise<void> {
  const errors = await duplicateLinkFields(db, releaseId, { ...input, filepath: filepathOf(input) }, exceptId);
  if (Object.keys(errors).length > 0) throw notValid(errors);
}

/** @throws ApiError 400 if a concurrent request has created a conflicting link */
async function unlessTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw notValid({ name: ['has already been taken'] });
    throw error;
  }
}

/** Creates a link of a release. @param db of a transaction that has locked the release @throws ApiError 400 */
export async function createLink(deps: Deps, db: Db, releaseId: number, input: NewLink): Promise<ReleaseLink> {
  const { count } = await db
    .selectFrom('release_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('release_id', '=', releaseId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_LINKS)
    throw refused(`Limit reached: a release has at most ${MAX_LINKS} links. Delete one first.`);
  await checkUnique(db, releaseId, input);
  const [made] = await unlessTaken(() => insertLinks(deps, db, releaseId, [input]));
  return made!;
}

/**
 * Updates the given attributes of a link. @param db of a transaction that has locked the release
 * @throws ApiError 400, 404
 */
export async function updateLink(deps: Deps, db: Db, link: ReleaseLink, input: ChangedLink): Promise<ReleaseLink> {
  await checkUnique(db, link.release_id, input, link.id);
  const { name, url, link_type } = input;
  const filepath = filepathOf(input);
  const changed = await unlessTaken(() =>
    db
      .updateTable('release_links')
      .set({
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(link_type === undefined ? {} : { link_type }),
        ...(filepath === undefined ? {} : { filepath }),
        updated_at: timestamp(deps.clock),
      })
      .where('id', '=', link.id)
      .returningAll()
      .executeTakeFirst(),
  );
  if (changed === undefined) throw notFound();
  return changed;
}
