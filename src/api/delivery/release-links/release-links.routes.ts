import { Type } from 'typebox';
import { invalidParameter, notFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { ReleaseLink as Row } from '../../../db/tables/release-links.table.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { API_AND_JOB_TOKENS } from '../../../http/job-tokens.ts';
import { inProject, inProjectByUser } from '../../api.access.ts';
import { onLockedRelease, releaseToWrite } from '../releases/locked.ts';
import { releaseUrl } from '../releases/releases.addresses.ts';
import { getRelease } from '../releases/releases.find.ts';
import { ReleaseTag } from '../releases/releases.inputs.ts';
import { changedLink, LinkId, listLinks, newLink } from './release-links.inputs.ts';
import { ReleaseLink } from './release-links.responses.ts';
import { presentLink } from './release-links.views.ts';
import { checkLink, createLink, updateLink } from './release-links.writes.ts';

const PATH = '/projects/:id/releases/:tag_name/assets/links';
const ONE = `${PATH}/:link_id`;
const credentials = API_AND_JOB_TOKENS;
const read = inProject('read_release', { anonymous: true });
const oneLink = Type.Object({ ...ReleaseTag.properties, ...LinkId.properties });

/** Returns a link of a release. @throws ApiError 404 */
async function getLink(db: Db, releaseId: number, id: number): Promise<Row> {
  return db
    .selectFrom('release_links')
    .selectAll()
    .where('id', '=', id)
    .where('release_id', '=', releaseId)
    .executeTakeFirstOrThrow(() => notFound());
}

/** Links of a release. */
export const releaseLinkRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the links of a release',
    access: read,
    credentials,
    params: ReleaseTag,
    input: listLinks,
    success: { status: 200, schema: Type.Array(ReleaseLink) },
    errors: [404],
    handler: async (c) => {
      const { deps, project } = c;
      const { id, tag } = await getRelease(deps.db, project.id, c.params.tag_name);
      const query = deps.db.selectFrom('release_links').selectAll().where('release_id', '=', id).orderBy('id', 'desc');
      return c.page(query, (rows) => {
        const url = releaseUrl(deps, project, tag);
        return rows.map((row) => presentLink(row, url));
      });
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    summary: 'Get a link of a release',
    access: read,
    credentials,
    params: oneLink,
    success: { status: 200, schema: ReleaseLink },
    errors: [404],
    handler: async ({ deps, project, params }) => {
      const { id, tag } = await getRelease(deps.db, project.id, params.tag_name);
      return presentLink(await getLink(deps.db, id, params.link_id), releaseUrl(deps, project, tag));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Create a link of a release',
    access: inProjectByUser('create_release'),
    credentials,
    params: ReleaseTag,
    input: newLink,
    success: { status: 201, schema: ReleaseLink },
    errors: [400, 404],
    handler: async (c) => {
      const release = await releaseToWrite(c.deps, c, c.params.tag_name);
      checkLink(c.input);
      const made = await onLockedRelease(c.deps, c, 'create_release', release, (db, { id }) =>
        createLink(c.deps, db, id, c.input),
      );
      return presentLink(made, releaseUrl(c.deps, c.project, release.tag));
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    summary: 'Update a link of a release',
    description: 'Requires `name` or `url`.',
    access: inProjectByUser('update_release'),
    credentials,
    params: oneLink,
    input: changedLink,
    success: { status: 200, schema: ReleaseLink },
    errors: [400, 404],
    handler: async (c) => {
      const release = await releaseToWrite(c.deps, c, c.params.tag_name);
      if (c.input.name === undefined && c.input.url === undefined) {
        throw invalidParameter('name, url are missing, at least one parameter must be provided');
      }
      checkLink(c.input);
      const changed = await onLockedRelease(c.deps, c, 'update_release', release, async (db, { id }) =>
        updateLink(c.deps, db, await getLink(db, id, c.params.link_id), c.input),
      );
      return presentLink(changed, releaseUrl(c.deps, c.project, release.tag));
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a link of a release',
    access: inProjectByUser('destroy_release'),
    credentials,
    params: oneLink,
    success: { status: 200, schema: ReleaseLink },
    errors: [404],
    handler: async (c) => {
      const release = await releaseToWrite(c.deps, c, c.params.tag_name);
      const deleted = await onLockedRelease(c.deps, c, 'destroy_release', release, async (db, { id }) => {
        const link = await getLink(db, id, c.params.link_id);
        await db.deleteFrom('release_links').where('id', '=', link.id).execute();
        return link;
      });
      return presentLink(deleted, releaseUrl(c.deps, c.project, release.tag));
    },
  }),
];
