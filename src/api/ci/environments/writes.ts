import { ENVIRONMENT_NAME, environmentSlug, guessTier } from '../../../ci/environments.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, invalidModel, notFound } from '../../../core/errors.ts';
import { isUniqueViolation } from '../../../db/errors.ts';
import { startsWith } from '../../../db/like.ts';
import type { Environment } from '../../../db/tables/environments.ts';
import type { Deps } from '../../../deps.ts';

export interface EnvironmentAttributes {
  external_url?: string | null;
  tier?: Environment['tier'];
  description?: string | null;
  auto_stop_setting?: Environment['auto_stop_setting'];
  kubernetes_namespace?: string | null;
  flux_resource_path?: string | null;
}

const MAX_TEXT = 255;
const MAX_DESCRIPTION = 10_000;
const NAME_WORDS =
  "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
const SCRIPTS = /^(javascript|data|vbscript)$/;

const tooLong = (text: string | null | undefined, most: number): string[] =>
  text != null && text.length > most ? [`is too long (maximum is ${most} characters)`] : [];

function urlErrors(text: string | null | undefined): string[] {
  if (text == null || text === '') return [];
  const url = URL.parse(text);
  if (url === null) return ['URI is invalid'];
  const scheme = url.protocol.slice(0, -1);
  return SCRIPTS.test(scheme) ? [`${scheme} scheme is not allowed`] : [];
}

/** @throws ApiError 400 */
function check(given: EnvironmentAttributes, name?: string): void {
  const found = {
    name: name === undefined ? [] : nameErrors(name),
    external_url: [...tooLong(given.external_url, MAX_TEXT), ...urlErrors(given.external_url)],
    description: tooLong(given.description, MAX_DESCRIPTION),
    kubernetes_namespace: tooLong(given.kubernetes_namespace, 63),
    flux_resource_path: tooLong(given.flux_resource_path, MAX_TEXT),
  };
  const errors: FieldErrors = Object.fromEntries(Object.entries(found).filter(([, texts]) => texts.length > 0));
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

function nameErrors(name: string): string[] {
  if (name === '') return ["can't be blank"];
  return [...tooLong(name, MAX_TEXT), ...(ENVIRONMENT_NAME.test(name) ? [] : [NAME_WORDS])];
}

/** Makes an environment. @throws ApiError 400 */
export async function createEnvironment(
  { db, clock }: Deps,
  projectId: number,
  { name, ...given }: EnvironmentAttributes & { name: string },
): Promise<Environment> {
  check(given, name);
  const now = timestamp(clock);
  try {
    return await db
      .insertInto('environments')
      .values({
        project_id: projectId,
        name,
        slug: environmentSlug(name),
        external_url: given.external_url || null,
        description: given.description ?? null,
        tier: given.tier ?? guessTier(name),
        state: 'available',
        auto_stop_setting: given.auto_stop_setting ?? 'always',
        kubernetes_namespace: given.kubernetes_namespace ?? null,
        flux_resource_path: given.flux_resource_path ?? null,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  } catch (error) {
    if (isUniqueViolation(error)) throw invalidModel({ name: ['has already been taken'] });
    throw error;
  }
}

/** Changes what is given. @throws ApiError 400, 404 */
export async function updateEnvironment(
  { db, clock }: Deps,
  { id }: Environment,
  given: EnvironmentAttributes,
): Promise<Environment> {
  check(given);
  const external = given.external_url === undefined ? {} : { external_url: given.external_url || null };
  const row = await db
    .updateTable('environments')
    .set({ ...given, ...external, updated_at: timestamp(clock) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw notFound('Environment');
  return row;
}

/**
 * Has those end that nothing was deployed to, and nothing else was done to, since an instant: the next sweep stops them as
 * it does those whose time is over.
 */
export async function endStaleEnvironments({ db, clock }: Deps, projectId: number, before: string): Promise<void> {
  await db
    .updateTable('environments')
    .set({ auto_stop_at: timestamp(clock) })
    .where('project_id', '=', projectId)
    .where('state', '=', 'available')
    .where('updated_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('deployments')
            .select('deployments.id')
            .whereRef('deployments.environment_id', '=', 'environments.id')
            .where('deployments.updated_at', '>=', before),
        ),
      ),
    )
    .execute();
}

/**
 * The oldest environments in the folder `review/` that are stopped.
 * @param remove whether they go, with their deployments
 */
export function oldReviewApps(
  { db }: Deps,
  projectId: number,
  { before, limit, remove }: { before: string; limit: number; remove: boolean },
): Promise<Environment[]> {
  return db.transaction().execute(async (db) => {
    const rows = await db
      .selectFrom('environments')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((eb) => startsWith(eb, eb.ref('name'), 'review/'))
      .where('state', '=', 'stopped')
      .where('created_at', '<', before)
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute();
    if (remove && rows.length > 0) {
      const ids = rows.map(({ id }) => id);
      await db.deleteFrom('environments').where('id', 'in', ids).where('state', '=', 'stopped').execute();
    }
    return rows;
  });
}
