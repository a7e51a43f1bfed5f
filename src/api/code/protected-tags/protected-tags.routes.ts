import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { withLevels } from '../../../repositories/repository.protected-refs.ts';
import type { Protection } from '../../../repositories/repository.protections.ts';
import { inProject } from '../../api.access.ts';
import { loadSubjectNames, presentLevels, type SubjectNames } from '../protected-refs/protected-refs.views.ts';
import { CreateProtectedTag, type ProtectedTagJson, TagPattern } from './protected-tags.inputs.ts';
import { ProtectedTag } from './protected-tags.responses.ts';
import { getProtectedTag, protectTag, unprotectTag } from './protected-tags.writes.ts';

const PATH = '/projects/:id/protected_tags';
const admin = inProject('admin_protected_tags');

/** Renders a protected tag. */
const present = (protection: Protection, names: SubjectNames): ProtectedTagJson => ({
  name: protection.name,
  create_access_levels: presentLevels(protection, 'create', names, true),
});

export const protectedTagRoutes = [
  route({
    method: 'GET',
    path: PATH,
    summary: 'List the protected tags of a project',
    access: admin,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ProtectedTag) },
    handler: (c) => {
      const { db } = c.deps;
      const query = db
        .selectFrom('protected_refs')
        .selectAll()
        .where('project_id', '=', c.project.id)
        .where('kind', '=', 'tag')
        .orderBy('id');
      return c.page(query, async (rows) => {
        const protections = await withLevels(db, rows);
        const names = await loadSubjectNames(db, protections);
        return protections.map((protection) => present(protection, names));
      });
    },
  }),
  route({
    method: 'GET',
    path: `${PATH}/:name`,
    summary: 'Get a protected tag or wildcard',
    access: admin,
    params: Type.Object(TagPattern),
    success: { status: 200, schema: ProtectedTag },
    errors: [404],
    handler: async ({ deps, project, params }) => {
      const protection = await getProtectedTag(deps, project, params.name);
      return present(protection, await loadSubjectNames(deps.db, [protection]));
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    summary: 'Protect a tag or wildcard',
    access: admin,
    input: CreateProtectedTag,
    success: { status: 201, schema: ProtectedTag },
    errors: [422],
    handler: async (c) => {
      const protection = await protectTag(c.deps, c, c.caller, c.input);
      return present(protection, await loadSubjectNames(c.deps.db, [protection]));
    },
  }),
  route({
    method: 'DELETE',
    path: `${PATH}/:name`,
    summary: 'Unprotect a tag or wildcard',
    access: admin,
    params: Type.Object(TagPattern),
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, caller, project, params, request }) => {
      const protection = await getProtectedTag(deps, project, params.name);
      checkUnmodifiedSince(request, protection.updated_at);
      await unprotectTag(deps, caller, protection);
    },
  }),
];
