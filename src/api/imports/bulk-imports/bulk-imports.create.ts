import type { Static } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { user as onUser, recordAudit } from '../../../audit/record.audit.ts';
import { forbidden, invalidParameter, notFound, refused } from '../../../core/core.errors.ts';
import { groupPathErrors, projectPathErrors } from '../../../core/core.paths.ts';
import { RetryLater } from '../../../core/retry-later.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { isPathTaken } from '../../../db/namespace-tree.ts';
import type { BulkImport } from '../../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../../deps.ts';
import { isImportedObject } from '../../../import-export/imports/coerce-import.ts';
import { RemoteRefusal, RemoteServer } from '../../../import-export/imports/remote-server.ts';
import { BlockedAddress, parseHttpUrl } from '../../../outbound/outbound.resolve.ts';
import { findPlacement, mayCreateTopLevel, visibleGroup } from '../../spaces/index.ts';
import type { createInput } from './bulk-imports.inputs.ts';
import { insertImport, insertImportEntity, type NewImportEntity } from './bulk-imports.insert.ts';
import { ENTITY } from './bulk-imports.jobs.ts';
import { TOKEN_PURPOSE } from './bulk-imports.status.ts';

type Input = Static<typeof createInput>;
type NewEntity = Input['entities'][number];

/** Path segments with a letter or digit each, so that none is a relative one. */
const PATH = /^(?=[.-]*\w)[\w.-]+(?:\/(?=[.-]*\w)[\w.-]+)*$/;
const CONNECT_MS = 30_000;

/** Returns the base URL of the source server for storage. @throws ApiError 422 */
function baseOf(address: string): string {
  try {
    const url = parseHttpUrl(address);
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
      throw new BlockedAddress('is blocked: URI is invalid');
    }
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  } catch (error) {
    if (error instanceof BlockedAddress) throw refused(`The URL ${error.message}`, 422);
    throw error;
  }
}

/** Checks that the source server is reachable and accepts the token. @throws ApiError 422 */
async function tryServer(deps: Deps, url: string, token: string): Promise<void> {
  const server = new RemoteServer(deps, url, token, AbortSignal.timeout(CONNECT_MS));
  try {
    const version = await server.json('GET', '/version');
    if (!isImportedObject(version) || typeof version.version !== 'string') throw new SyntaxError();
    const own = await server.json('GET', '/personal_access_tokens/self');
    const scopes = isImportedObject(own) && Array.isArray(own.scopes) ? own.scopes : [];
    if (!scopes.includes('api')) throw refused('Personal access token does not have the required "api" scope', 422);
  } catch (error) {
    if (error instanceof BlockedAddress) throw refused(`The URL ${error.message}`, 422);
    if (error instanceof RemoteRefusal && (error.status === 401 || error.status === 403)) {
      throw refused('The source server does not accept the access token.', 422);
    }
    if (error instanceof Error && 'status' in error && !(error instanceof RemoteRefusal)) throw error;
    if (error instanceof RetryLater)
      throw refused('The source server limits the rate of requests. Try again later.', 422);
    throw refused('Unable to connect to the source server, or it does not support this API.', 422);
  }
}

const slugOf = (entity: NewEntity): string =>
  entity.destination_slug ?? entity.destination_name ?? entity.source_full_path.split('/').at(-1)!;

/** @throws ApiError 400 for an invalid path, 422 for one that is taken */
async function checkDestination(deps: Deps, entity: NewEntity): Promise<void> {
  const { destination_namespace: parent } = entity;
  const slug = slugOf(entity);
  const problems =
    entity.source_type === 'group_entity'
      ? groupPathErrors(slug, { topLevel: parent === '' })
      : projectPathErrors(slug);
  if (problems[0] !== undefined) throw invalidParameter(`entities[destination_slug] ${problems[0]}`);
  const path = parent === '' ? slug : `${parent}/${slug}`;
  if (await isPathTaken(deps.db, path)) {
    throw refused(`Import failed. '${path}' already exists. Change the destination and try again.`, 422);
  }
}

/** Validates an entity as far as possible before the import. @throws ApiError 400, 403, 404, 422 */
async function checkEntity(deps: Deps, caller: UserCaller, entity: NewEntity): Promise<void> {
  if (!PATH.test(entity.source_full_path)) {
    throw invalidParameter('entities[source_full_path] must be a relative path of a group or project');
  }
  const { destination_namespace: path } = entity;
  if (entity.source_type === 'project_entity') {
    if (path === '') throw notFound('Namespace');
    await findPlacement(deps, caller, path);
  } else if (path === '') {
    if (!(await mayCreateTopLevel(deps, caller))) throw forbidden();
  } else {
    const parent = await visibleGroup(deps, caller, path);
    if (!(await groupPermissions(deps, caller, parent)).can('create_subgroup')) throw forbidden();
  }
  await checkDestination(deps, entity);
}

/**
 * Starts an import of groups and projects from another server.
 * @throws ApiError 400, 403, 404 for an invalid destination; 422 if the source server cannot be used
 */
export async function createImport(deps: Deps, caller: UserCaller, input: Input): Promise<BulkImport> {
  for (const entity of input.entities) await checkEntity(deps, caller, entity);
  const source_url = baseOf(input.configuration.url);
  const token = input.configuration.access_token;
  await tryServer(deps, source_url, token);
  return deps.db.transaction().execute(async (db) => {
    const row = await insertImport(deps, db, {
      user_id: caller.user.id,
      source_url,
      token: deps.secrets.seal(token, TOKEN_PURPOSE),
    });
    for (const entity of input.entities) {
      await insertRemoteImport(deps, db, {
        bulk_import_id: row.id,
        parent_id: null,
        entity_type: entity.source_type === 'group_entity' ? 'group' : 'project',
        source_full_path: entity.source_full_path,
        destination_slug: slugOf(entity),
        destination_namespace: entity.destination_namespace,
        migrate_projects: bit(entity.migrate_projects ?? true),
        migrate_memberships: bit(entity.migrate_memberships ?? true),
      });
    }
    await recordAudit(deps, db, {
      name: 'bulk_import_created',
      entity: onUser(caller.user.id),
      target: { id: row.id, type: 'BulkImport', details: source_url },
      message: `Import from ${source_url} started`,
    });
    return row;
  });
}

/** Inserts an entity and enqueues its import; an existing entity is left unchanged. */
export async function insertRemoteImport(deps: Deps, db: Db, entity: NewImportEntity): Promise<void> {
  const entity_id = await insertImportEntity(deps, db, entity);
  if (entity_id !== undefined) await deps.jobs.enqueue(db, ENTITY, { entity_id });
}
