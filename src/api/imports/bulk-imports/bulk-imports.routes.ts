import { sql } from 'kysely';
import { Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { BulkImportEntity as EntityRow } from '../../../db/tables/bulk-import-entities.table.ts';
import type { BulkImport as ImportRow } from '../../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { perMinute } from '../../../settings/throttles.ts';
import { onServer, signedIn } from '../../api.access.ts';
import { createImport } from './bulk-imports.create.ts';
import {
  createInput,
  entityId,
  entityListInput,
  failureListInput,
  importId,
  listInput,
} from './bulk-imports.inputs.ts';
import { BulkImport, BulkImportEntity, BulkImportFailure } from './bulk-imports.responses.ts';
import { cancelImport } from './bulk-imports.status.ts';
import { presentEntities, presentFailure, presentImport, statusNumber } from './bulk-imports.views.ts';

const A_MINUTE = 6;

/** Hides all routes while the feature is disabled. @throws ApiError 404 */
async function requireSwitchedOn(deps: Deps): Promise<void> {
  if (!(await applicationSettings(deps)).bulk_import_enabled) throw notFound();
}

const shared = { tag: 'Imports from other servers' } as const;

/** Query for the imports that the caller may see: their own, all for administrators. */
const visible = ({ db }: Deps, { user, admin }: UserCaller) => {
  // Imports of archives have no source URL. The condition must match that of the index exactly.
  const query = db.selectFrom('bulk_imports').selectAll('bulk_imports').where(sql<boolean>`source_url <> ''`);
  return admin ? query : query.where('user_id', '=', user.id);
};

async function findImport(deps: Deps, caller: UserCaller, id: number): Promise<ImportRow> {
  await requireSwitchedOn(deps);
  const row = await visible(deps, caller).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound();
  return row;
}

const entities = ({ db }: Deps, { user, admin }: UserCaller) => {
  const query = db
    .selectFrom('bulk_import_entities')
    .selectAll('bulk_import_entities')
    .where(sql<boolean>`source_full_path <> ''`);
  if (admin) return query;
  return query.where('bulk_import_id', 'in', (eb) =>
    eb.selectFrom('bulk_imports').select('id').where('user_id', '=', user.id),
  );
};

async function findEntity(
  deps: Deps,
  caller: UserCaller,
  { import_id, entity_id }: { import_id: number; entity_id: number },
): Promise<EntityRow> {
  await requireSwitchedOn(deps);
  return entities(deps, caller)
    .where('bulk_import_id', '=', import_id)
    .where('id', '=', entity_id)
    .executeTakeFirstOrThrow(() => notFound());
}

/** Imports of groups and projects from other servers (registry facts 7.3). */
export const bulkImportRoutes = [
  route({
    ...shared,
    method: 'POST',
    path: '/bulk_imports',
    operationId: 'createBulkImport',
    summary: 'Import groups and projects from another server',
    description: 'Runs in the background and includes subgroups and projects. Users are imported as placeholders.',
    access: onServer('import_from_server'),
    input: createInput,
    success: { status: 201, schema: BulkImport },
    errors: [403, 404, 422, 429],
    handler: async ({ deps, caller, input }) => {
      await requireSwitchedOn(deps);
      deps.limiter.check('bulk_import', `user:${caller.user.id}`, perMinute(A_MINUTE));
      return presentImport(await createImport(deps, caller, input));
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports',
    operationId: 'listBulkImports',
    summary: 'List imports from other servers',
    access: signedIn,
    input: listInput,
    success: { status: 200, schema: Type.Array(BulkImport) },
    errors: [404],
    handler: async (c) => {
      await requireSwitchedOn(c.deps);
      let query = visible(c.deps, c.caller).orderBy('id', c.input.sort ?? 'desc');
      if (c.input.status !== undefined) query = query.where('status', '=', statusNumber(c.input.status));
      return c.page(query, (rows) => rows.map(presentImport));
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports/entities',
    operationId: 'listBulkImportEntities',
    summary: 'List the entities of all imports from other servers',
    access: signedIn,
    input: entityListInput,
    success: { status: 200, schema: Type.Array(BulkImportEntity) },
    errors: [404],
    handler: async (c) => {
      await requireSwitchedOn(c.deps);
      let query = entities(c.deps, c.caller).orderBy('id', 'desc');
      if (c.input.status !== undefined) query = query.where('status', '=', statusNumber(c.input.status));
      return c.page(query, (rows) => presentEntities(c.deps.db, rows));
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports/:import_id',
    operationId: 'getBulkImport',
    summary: 'Get an import from another server',
    access: signedIn,
    params: importId,
    success: { status: 200, schema: BulkImport },
    errors: [404],
    handler: async ({ deps, caller, params }) => presentImport(await findImport(deps, caller, params.import_id)),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports/:import_id/entities',
    operationId: 'listEntitiesOfBulkImport',
    summary: 'List the entities of an import',
    access: signedIn,
    params: importId,
    input: entityListInput,
    success: { status: 200, schema: Type.Array(BulkImportEntity) },
    errors: [404],
    handler: async (c) => {
      const { id } = await findImport(c.deps, c.caller, c.params.import_id);
      let query = entities(c.deps, c.caller).where('bulk_import_id', '=', id).orderBy('id');
      if (c.input.status !== undefined) query = query.where('status', '=', statusNumber(c.input.status));
      return c.page(query, (rows) => presentEntities(c.deps.db, rows));
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports/:import_id/entities/:entity_id',
    operationId: 'getBulkImportEntity',
    summary: 'Get an entity of an import',
    access: signedIn,
    params: entityId,
    success: { status: 200, schema: BulkImportEntity },
    errors: [404],
    handler: async ({ deps, caller, params }) =>
      (await presentEntities(deps.db, [await findEntity(deps, caller, params)]))[0],
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/bulk_imports/:import_id/entities/:entity_id/failures',
    operationId: 'listBulkImportFailures',
    summary: 'List the failures of an entity of an import',
    access: signedIn,
    params: entityId,
    input: failureListInput,
    success: { status: 200, schema: Type.Array(BulkImportFailure) },
    errors: [404],
    handler: async (c) => {
      const { id } = await findEntity(c.deps, c.caller, c.params);
      const query = c.deps.db.selectFrom('bulk_import_failures').selectAll().where('entity_id', '=', id).orderBy('id');
      return c.page(query, (rows) => rows.map((row) => presentFailure(row, null)));
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/bulk_imports/:import_id/cancel',
    operationId: 'cancelBulkImport',
    summary: 'Cancel an import from another server',
    description: 'Objects that are already imported are kept.',
    access: onServer('import_from_server'),
    params: importId,
    success: { status: 200, schema: BulkImport },
    errors: [404],
    handler: async ({ deps, caller, params }) => {
      const bulkImport = await findImport(deps, caller, params.import_id);
      await cancelImport(deps, bulkImport);
      return presentImport(await findImport(deps, caller, bulkImport.id));
    },
  }),
];
