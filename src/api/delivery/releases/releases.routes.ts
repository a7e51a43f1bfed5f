import { Type } from 'typebox';
import { type Route, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { releaseToWrite } from './locked.ts';
import { createRelease } from './releases.create.ts';
import { getRelease } from './releases.find.ts';
import { changedRelease, listReleases, newRelease, oneRelease, ReleaseTag } from './releases.inputs.ts';
import { Release } from './releases.responses.ts';
import { memoryEstimateOf } from './releases.view-rows.ts';
import { describedFor, presentRelease, presentReleases } from './releases.views.ts';
import { addEvidence, destroyRelease, updateRelease } from './releases.writes.ts';

const PATH = '/projects/:id/releases';
const ONE = `${PATH}/:tag_name`;
const credentials = API_AND_JOB_TOKENS;

/** Releases of a project. */
export const releaseRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the releases of a project',
    access: inProject('read_release', { anonymous: true }),
    credentials,
    input: listReleases,
    success: { status: 200, schema: Type.Array(Release) },
    handler: (c) => {
      const { deps, project, input } = c;
      const { order_by = 'released_at', sort = 'desc', updated_before, updated_after } = input;
      let query = deps.db.selectFrom('releases').selectAll().where('project_id', '=', project.id);
      if (updated_before !== undefined) query = query.where('updated_at', '<=', updated_before);
      if (updated_after !== undefined) query = query.where('updated_at', '>=', updated_after);
      return c.page(query.orderBy(order_by, sort).orderBy('id', sort), async (rows) => {
        await c.hold(await memoryEstimateOf(deps.db, rows));
        const describe = input.include_html_description === true ? describedFor(deps, c.caller, c) : undefined;
        return presentReleases(deps, rows, () => c, describe);
      });
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a release by its tag',
    access: inProject('read_code', { anonymous: true, sees: 'read_release' }),
    credentials,
    params: ReleaseTag,
    input: oneRelease,
    success: { status: 200, schema: Release },
    errors: [404],
    handler: async (c) => {
      const release = await getRelease(c.deps.db, c.project.id, c.params.tag_name);
      const describe = c.input.include_html_description === true ? describedFor(c.deps, c.caller, c) : undefined;
      return presentRelease(c.deps, release, c, describe);
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a release',
    description: 'For an existing tag, or a new one, which is created.',
    access: inProjectByUser('create_release'),
    credentials,
    input: newRelease,
    success: { status: 201, schema: Release },
    errors: [400, 409, 422],
    handler: async (c) => presentRelease(c.deps, await createRelease(c.deps, c, c.input), c),
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a release',
    access: inProjectByUser('update_release'),
    credentials,
    params: ReleaseTag,
    input: changedRelease,
    success: { status: 200, schema: Release },
    errors: [400, 404],
    handler: async (c) => presentRelease(c.deps, await updateRelease(c.deps, c, c.params.tag_name, c.input), c),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a release',
    description: 'Deletes its links and evidences as well; the tag is kept.',
    access: inProjectByUser('destroy_release'),
    credentials,
    params: ReleaseTag,
    success: { status: 200, schema: Release },
    errors: [404],
    handler: async (c) => {
      const release = await releaseToWrite(c.deps, c, c.params.tag_name);
      const shown = await presentRelease(c.deps, release, c);
      await destroyRelease(c.deps, c, release);
      return shown;
    },
  }),
  route({
    method: 'POST',
    path: `${ONE}/evidence`,
    plan: 'premium',
    summary: 'Collect evidence of a release',
    description:
      'Snapshot of the release, its project and its milestones; in Ultimate also the location of the reports of its last pipeline. At most 100 per release.',
    access: inProjectByUser('create_release'),
    credentials,
    params: ReleaseTag,
    success: { status: 200, schema: Release },
    errors: [400, 404],
    handler: async (c) => {
      const release = await releaseToWrite(c.deps, c, c.params.tag_name);
      await addEvidence(c.deps, c, release);
      return presentRelease(c.deps, release, c);
    },
  }),
];
