import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Enum, optional, pagination } from '../../../http/http.schema.ts';
import { inGroup } from '../../api.access.ts';
import { Release, ReleaseBasic } from '../releases/releases.responses.ts';
import { memoryEstimateOf } from '../releases/releases.view-rows.ts';
import { presentBasic, presentReleases } from '../releases/releases.views.ts';
import { releasesOfGroup } from './group-releases.list.ts';
import { releaseContextsOf } from './release-contexts.ts';

/** Releases of a group and its subgroups (part 2, section 4.9). */
export const groupReleaseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups/:id/releases',
    summary: 'List the releases of the projects in a group and its subgroups',
    description: 'Only releases that the caller may read, ordered by release date.',
    access: inGroup('read_group_releases', { anonymous: true }),
    input: optional({
      sort: Enum(['desc', 'asc'], { default: 'desc' }),
      simple: Type.Boolean({ default: false }),
      page: pagination.page,
      per_page: pagination.per_page,
    }),
    success: { status: 200, schema: Type.Array(Type.Union([Release, ReleaseBasic])) },
    handler: (c) => {
      const { deps, caller, group } = c;
      const { sort = 'desc', simple = false } = c.input;
      const list = releasesOfGroup(deps, caller, group, sort);
      if (simple) return c.page(list, (rows) => rows.map((row) => presentBasic(deps, row)));
      return c.page(list, async (rows) => {
        const places = await releaseContextsOf(deps, caller, pluck(rows, 'project_id'));
        await c.hold(await memoryEstimateOf(deps.db, rows));
        return presentReleases(deps, rows, (id) => places.get(id));
      });
    },
  }),
];
