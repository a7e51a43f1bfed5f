import type { Caller } from '../../../access/caller.ts';
import { projectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { type FieldErrors, forbidden, invalidModel, recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { startsWith } from '../../../db/like.ts';
import type { Badge } from '../../../db/tables/badges.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Source } from '../spaces.source.ts';
import { type Render, rendererFor, withoutPlaceholders, withoutRendering } from './badges.render.ts';
import type { BadgeEntity } from './badges.responses.ts';

/** Attributes of a badge in requests. */
export interface BadgeAttributes {
  name?: string | null;
  link_url?: string;
  image_url?: string;
}

/** Query for the badges of a group, or of a project including its ancestor groups; oldest first. */
export function badgesOf(db: Db, source: Source) {
  const badges = db.selectFrom('badges').selectAll().orderBy('id');
  if (source.kind === 'group') return badges.where('group_id', '=', source.id);
  if (source.lineage.length === 0) return badges.where('project_id', '=', source.id);
  return badges.where((eb) => eb.or([eb('project_id', '=', source.id), eb('group_id', 'in', source.lineage)]));
}

/** @throws ApiError 404 */
export async function findBadge(db: Db, source: Source, id: number): Promise<Badge> {
  return badgesOf(db, source).where('id', '=', id).executeTakeFirstOrThrow(recordNotFound);
}

/** Returns a badge for changes. @throws ApiError 403 for a badge of a group in a project, 404 */
export async function findOwnBadge(db: Db, source: Source, id: number): Promise<Badge> {
  const badge = await findBadge(db, source, id);
  if (source.kind === 'project' && badge.group_id !== null) {
    throw forbidden('The badge belongs to a group. Change or delete it in the group.');
  }
  return badge;
}

function urlErrors(url: string): string[] {
  const parsed = URL.parse(withoutPlaceholders(url));
  if (parsed === null) return ['must be a valid URL'];
  return /^https?:$/.test(parsed.protocol) && parsed.hostname !== ''
    ? []
    : ['is blocked: Only allowed schemes are http, https'];
}

/** @throws ApiError 400 for an invalid URL */
export function checkUrls({ link_url, image_url }: BadgeAttributes): void {
  const errors: FieldErrors = {};
  for (const [field, url] of Object.entries({ link_url, image_url })) {
    const texts = url === undefined ? [] : urlErrors(url);
    if (texts.length > 0) errors[field] = texts;
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** @throws ApiError 400 */
export async function createBadge(
  { db, clock }: Deps,
  source: Source,
  input: BadgeAttributes & { link_url: string; image_url: string },
): Promise<Badge> {
  checkUrls(input);
  const now = timestamp(clock);
  return db
    .insertInto('badges')
    .values({
      project_id: source.kind === 'project' ? source.id : null,
      group_id: source.kind === 'group' ? source.id : null,
      name: input.name ?? null,
      link_url: input.link_url,
      image_url: input.image_url,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Updates the given attributes. @throws ApiError 400, or 404 if it was deleted meanwhile */
export async function updateBadge({ db, clock }: Deps, badge: Badge, input: BadgeAttributes): Promise<Badge> {
  checkUrls(input);
  return db
    .updateTable('badges')
    .set({ ...input, updated_at: timestamp(clock) })
    .where('id', '=', badge.id)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
}

/**
 * Returns a function that replaces placeholders: with values of the project, or for a group of its oldest project, if
 * the caller may see that.
 */
export async function renderer(deps: Deps, caller: Caller, source: Source, urls: readonly string[]): Promise<Render> {
  if (!urls.some((url) => url.includes('%{'))) return withoutRendering;
  if (source.kind === 'project') return rendererFor(deps, caller, source.project, source.namespace, urls);
  const project = await deps.db
    .selectFrom('projects')
    .selectAll('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .where((eb) => startsWith(eb, eb.ref('namespaces.lineage'), source.group.lineage))
    .where('pending_delete', '=', 0)
    .orderBy('projects.id')
    .executeTakeFirst();
  if (project === undefined) return withoutRendering;
  const namespace = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirst();
  if (namespace === undefined) return withoutRendering;
  const visible = (await projectPermissions(deps, caller, project, namespace)).can('read_project');
  return visible ? rendererFor(deps, caller, project, namespace, urls) : withoutRendering;
}

/** Renders badges. */
export async function presentBadges(
  deps: Deps,
  caller: Caller,
  source: Source,
  badges: readonly Badge[],
): Promise<BadgeEntity[]> {
  const urls = badges.flatMap(({ link_url, image_url }) => [link_url, image_url]);
  const render = await renderer(deps, caller, source, urls);
  return badges.map(({ id, name, link_url, image_url, group_id }) => ({
    name,
    link_url,
    image_url,
    rendered_link_url: render(link_url),
    rendered_image_url: render(image_url),
    id,
    kind: group_id === null ? 'project' : 'group',
  }));
}
