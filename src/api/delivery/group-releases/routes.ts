import { Type } from 'typebox';
import { readableProjects } from '../../../access/readable-projects.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { pageOf } from '../../../db/paginate.ts';
import { setPageHeaders } from '../../../http/pagination.ts';
import { type Route, route } from '../../../http/route.ts';
import { Enum, optional, pagination } from '../../../http/schema.ts';
import { inGroup } from '../../access.ts';
import { Release, ReleaseBasic } from '../releases/answers.ts';
import { presentBasic, presentReleases } from '../releases/views.ts';
import { placesOf } from './places.ts';

/** Releases of the projects in a group and below it (part 2, section 4.9). */
export const groupReleaseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/groups/:id/releases',
    summary: 'List the releases of the projects in a group and below it',
    description: 'Those that the caller may read, by when they were released.',
    access: inGroup('read_group_releases', { anonymous: true }),
    input: optional({
      sort: Enum(['desc', 'asc'], { default: 'desc' }),
      simple: Type.Boolean({ default: false }),
      page: pagination.page,
      per_page: pagination.per_page,
    }),
    success: { status: 200, schema: Type.Array(Type.Union([Release, ReleaseBasic])) },
    handler: async ({ deps, caller, group, input, page, request, reply }) => {
      const { sort = 'desc', simple = false } = input;
      const wanted = { feature: 'releases', level: AccessLevel.guest, below: group.lineage } as const;
      const query = deps.db
        .selectFrom('releases')
        .selectAll()
        .where('project_id', 'in', (eb) =>
          eb
            .selectFrom('projects')
            .select('projects.id')
            .where((where) => readableProjects(where, caller, wanted, today(deps.clock))),
        )
        .orderBy('released_at', sort)
        .orderBy('id', sort);
      const { rows, total } = await pageOf(deps.db, query, page);
      setPageHeaders(deps.externalUrl(), request, reply, page, { total });
      if (simple) return rows.map((row) => presentBasic(deps, row));
      const places = await placesOf(
        deps,
        caller,
        rows.map(({ project_id }) => project_id),
      );
      return presentReleases(deps, rows, (id) => places.get(id));
    },
  }),
];
