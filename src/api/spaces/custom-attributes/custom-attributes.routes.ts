import { Type } from 'typebox';
import { findNamespace, findProject } from '../../../access/lookup.ts';
import { notFound, recordNotFound } from '../../../core/core.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { CustomAttributesTable } from '../../../db/tables/custom-attributes.table.ts';
import type { Deps } from '../../../deps.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { Filled } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';
import { CustomAttribute } from './custom-attributes.responses.ts';

type Kind = CustomAttributesTable['source_type'];
interface Source {
  type: Kind;
  id: number;
}

/** Finds the object of an id or full path. */
const FINDERS: Record<Kind, (deps: Deps, id: string) => Promise<{ id: number } | undefined>> = {
  group: (deps, id) => findNamespace(deps, id, 'group'),
  project: async (deps, id) => (await findProject(deps, id))?.project,
  user: async ({ db }, id) =>
    /^\d{1,15}$/.test(id)
      ? db.selectFrom('users').select('id').where('id', '=', Number(id)).executeTakeFirst()
      : undefined,
};
const NAMES: Record<Kind, string> = { group: 'Group', project: 'Project', user: 'User' };

async function sourceOf(deps: Deps, type: Kind, id: string): Promise<Source> {
  const source = await FINDERS[type](deps, id);
  if (source === undefined) throw notFound(NAMES[type]);
  return { type, id: source.id };
}

const attributesOf = (db: Db, source: Source) =>
  db
    .selectFrom('custom_attributes')
    .select(['key', 'value'])
    .where('source_type', '=', source.type)
    .where('source_id', '=', source.id);

async function setAttribute(db: Db, source: Source, key: string, value: string): Promise<void> {
  await db
    .insertInto('custom_attributes')
    .values({ source_type: source.type, source_id: source.id, key, value })
    .onConflict((conflict) => conflict.columns(['source_type', 'source_id', 'key']).doUpdateSet({ value }))
    .execute();
}

/** Routes for the custom attributes of users, groups or projects. */
function routesFor(type: Kind): Route[] {
  const path = `/${type}s/:id/custom_attributes`;
  const id = { id: Type.String({ description: `Id of the ${type}.` }) };
  const params = Type.Object({ ...id, key: Type.String({ maxLength: 255 }) });
  return [
    route({
      method: 'GET',
      path,
      summary: `List the custom attributes of a ${type}`,
      access: administrator,
      params: Type.Object(id),
      success: { status: 200, schema: Type.Array(CustomAttribute) },
      errors: [404],
      handler: async ({ deps, params }) =>
        attributesOf(deps.db, await sourceOf(deps, type, params.id))
          .orderBy('key')
          .execute(),
    }),
    route({
      method: 'GET',
      path: `${path}/:key`,
      summary: `Get a custom attribute of a ${type}`,
      access: administrator,
      params,
      success: { status: 200, schema: CustomAttribute },
      errors: [404],
      handler: async ({ deps, params }) => {
        const source = await sourceOf(deps, type, params.id);
        return attributesOf(deps.db, source).where('key', '=', params.key).executeTakeFirstOrThrow(recordNotFound);
      },
    }),
    route({
      method: 'PUT',
      path: `${path}/:key`,
      summary: `Set a custom attribute of a ${type}`,
      access: onServer('admin_custom_attributes'),
      params,
      input: Type.Object({ value: Filled({ maxLength: 10_000 }) }),
      success: { status: 200, schema: CustomAttribute },
      errors: [404],
      handler: async ({ deps, params, input }) => {
        await setAttribute(deps.db, await sourceOf(deps, type, params.id), params.key, input.value);
        return { key: params.key, value: input.value };
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:key`,
      summary: `Remove a custom attribute of a ${type}`,
      access: onServer('admin_custom_attributes'),
      params,
      success: { status: 204, empty: true },
      errors: [404],
      handler: async ({ deps, params }) => {
        const source = await sourceOf(deps, type, params.id);
        await deps.db
          .deleteFrom('custom_attributes')
          .where('source_type', '=', source.type)
          .where('source_id', '=', source.id)
          .where('key', '=', params.key)
          .returning('key')
          .executeTakeFirstOrThrow(recordNotFound);
      },
    }),
  ];
}

export const customAttributeRoutes = (['user', 'group', 'project'] as const).flatMap(routesFor);
