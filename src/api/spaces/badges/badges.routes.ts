import { Type } from 'typebox';
import type { Badge } from '../../../db/tables/badges.table.ts';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type BaseContext, type Route, route } from '../../../http/http.route.ts';
import { inSource, type SourceKind, type SourceScope } from '../spaces.source.ts';
import { badgeId, changedBadge, listBadges, newBadge, previewBadge } from './badges.inputs.ts';
import { BadgeEntity, BadgePreview } from './badges.responses.ts';
import {
  badgesOf,
  checkUrls,
  createBadge,
  findBadge,
  findOwnBadge,
  presentBadges,
  renderer,
  updateBadge,
} from './badges.writes.ts';

const SEE = { project: 'read_project', group: 'read_group' } as const;
const MANAGE = { project: 'admin_badges', group: 'admin_group_badges' } as const;

const presentOne = async ({ deps, caller, source }: BaseContext & SourceScope, badge: Badge) =>
  (await presentBadges(deps, caller, source, [badge]))[0];

function routesOf(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/badges`;
  const see = inSource(kind, SEE, { anonymous: true });
  const manage = inSource(kind, MANAGE);
  return [
    route({
      method: 'GET',
      path,
      summary: `List the badges of a ${kind}`,
      ...(kind === 'project' ? { description: 'Includes the badges of ancestor groups.' } : {}),
      access: see,
      input: listBadges,
      success: { status: 200, schema: Type.Array(BadgeEntity) },
      handler: (c) => {
        let query = badgesOf(c.deps.db, c.source);
        if (c.input.name !== undefined) query = query.where('name', '=', c.input.name);
        return c.page(query, (rows) => presentBadges(c.deps, c.caller, c.source, rows));
      },
    }),
    route({
      method: 'GET',
      path: `${path}/render`,
      summary: `Preview a badge of a ${kind}`,
      description: 'Returns the URLs with placeholders replaced.',
      access: manage,
      input: previewBadge,
      success: { status: 200, schema: BadgePreview },
      handler: async ({ deps, caller, source, input: { link_url, image_url } }) => {
        checkUrls({ link_url, image_url });
        const render = await renderer(deps, caller, source, [link_url, image_url]);
        const rendered = { rendered_link_url: render(link_url), rendered_image_url: render(image_url) };
        return { name: null, link_url, image_url, ...rendered };
      },
    }),
    route({
      method: 'GET',
      path: `${path}/:badge_id`,
      summary: `Get a badge of a ${kind}`,
      access: see,
      params: badgeId,
      success: { status: 200, schema: BadgeEntity },
      handler: async (c) => presentOne(c, await findBadge(c.deps.db, c.source, c.params.badge_id)),
    }),
    route({
      method: 'POST',
      path,
      summary: `Add a badge to a ${kind}`,
      access: manage,
      input: newBadge,
      success: { status: 201, schema: BadgeEntity },
      handler: async (c) => presentOne(c, await createBadge(c.deps, c.source, c.input)),
    }),
    route({
      method: 'PUT',
      path: `${path}/:badge_id`,
      summary: `Update a badge of a ${kind}`,
      access: manage,
      params: badgeId,
      input: changedBadge,
      success: { status: 200, schema: BadgeEntity },
      handler: async (c) => {
        const badge = await findOwnBadge(c.deps.db, c.source, c.params.badge_id);
        return presentOne(c, await updateBadge(c.deps, badge, c.input));
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:badge_id`,
      summary: `Remove a badge from a ${kind}`,
      access: manage,
      params: badgeId,
      success: { status: 204, empty: true },
      errors: [412],
      handler: async ({ deps, source, params, request }) => {
        const badge = await findOwnBadge(deps.db, source, params.badge_id);
        checkUnmodifiedSince(request, badge.updated_at);
        await deps.db.deleteFrom('badges').where('id', '=', badge.id).execute();
      },
    }),
  ];
}

/** Badges of projects and groups. */
export const badgeRoutes: readonly Route[] = [...routesOf('project'), ...routesOf('group')];
