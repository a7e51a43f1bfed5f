import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { jobCaller } from '../../../access/job-caller.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { environmentFaultOf } from '../../../core/environment-fault.ts';
import { retryDelayOf } from '../../../core/retry-later.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import { type BulkImport, IMPORT_STATUS } from '../../../db/tables/bulk-imports.table.ts';
import type { Deps } from '../../../deps.ts';
import { InvalidImportObject } from '../../../import-export/imports/coerce-import.ts';
import type { ImportContext } from '../../../import-export/imports/import-context.ts';
import { ImportedUsers } from '../../../import-export/imports/imported-users.ts';
import { RemoteRefusal, RemoteServer } from '../../../import-export/imports/remote-server.ts';
import { ImportStopped, recordFailure, requireStarted } from '../../../import-export/imports/trackers.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { insertChildEntities } from './bulk-imports.children.ts';
import { ENTITY } from './bulk-imports.jobs.ts';
import { readMembers } from './bulk-imports.members.ts';
import { fetchRepository, fetchRepositoryInto, fetchWiki, pathOf, refreshOpened } from './bulk-imports.repository.ts';
import { endEntity, startEntity } from './bulk-imports.status.ts';
import { ensureGroup, ensureProject, type ImportDestination } from './import-destination.ts';
import { importRelations, type RelationImport, requireObject } from './relations.ts';

const STUCK_MS = 86_400_000;

/** Builds the context for importing into a group or project. */
function importingInto(
  deps: Deps,
  row: BulkImport,
  {
    caller,
    entity,
    place,
    signal,
  }: { caller: UserCaller; entity: BulkImportEntity; place: ImportDestination; signal: AbortSignal },
): ImportContext {
  const { source_url } = row;
  const { root } = place;
  const people = new ImportedUsers(deps, {
    namespaceId: root.kind === 'group' ? root.id : null,
    hostname: new URL(source_url).host,
    importType: 'gitlab_migration',
    importerId: root.kind === 'group' ? caller.user.id : root.owner_id!,
  });
  const lineage = place.kind === 'group' ? place.group.lineage : place.namespace.lineage;
  const id = place.kind === 'group' ? place.group.id : place.project.id;
  return {
    deps,
    place: { kind: place.kind, id, groupIds: lineageIds(lineage) },
    users: people,
    hasCommit: async (sha) => {
      if (place.kind === 'group') return false;
      const info = await repositoryOf(deps, place.project).objects.info(sha);
      return info?.type === 'commit';
    },
    makeRepository: (of, dir) =>
      fetchRepositoryInto(deps, row, { path: `${entity.source_full_path}${pathOf(of)}`, dir, signal }),
  };
}

async function bring(deps: Deps, entity: BulkImportEntity, row: BulkImport, signal: AbortSignal): Promise<void> {
  const caller = await jobCaller(deps, row.user_id);
  if (caller === undefined || row.token === null)
    throw new InvalidImportObject('the user who started the import is deleted or blocked');
  const server = new RemoteServer(deps, row.source_url, row.token, signal);
  const path = `/${entity.entity_type}s/${encodeURIComponent(entity.source_full_path)}`;
  const object = requireObject(await server.find(path), entity.source_full_path);
  let destination =
    entity.entity_type === 'group'
      ? await ensureGroup(deps, caller, entity, object)
      : await ensureProject(deps, caller, entity, object);
  if (destination.kind === 'project')
    destination = { ...destination, project: await fetchRepository(deps, entity, row, destination.project, signal) };
  await requireStarted(deps, deps.db, entity);
  const relationImport: RelationImport = {
    deps,
    entity,
    server,
    importContext: importingInto(deps, row, { caller, entity, place: destination, signal }),
    signal,
  };
  if (entity.migrate_memberships === 1 && destination.root.kind === 'group') await readMembers(relationImport);
  await importRelations(relationImport);
  await fetchWiki(relationImport, object);
  if (destination.kind === 'project') await refreshOpened(deps, destination.project);
  else await insertChildEntities(relationImport, destination.group);
}

/** Returns the message of a permanent failure; null if a retry may succeed. */
function lastingProblem(error: unknown): string | null {
  if (error instanceof InvalidImportObject || error instanceof RemoteRefusal) return error.message;
  if (error instanceof BlockedAddress) return `The URL ${error.message}`;
  return error instanceof ApiError ? error.message : null;
}

/** Fails an entity without progress for a day, whose source server keeps it waiting. @returns whether it did */
async function endLate(deps: Deps, { id, entity_type, updated_at }: BulkImportEntity): Promise<boolean> {
  if (deps.clock.now().getTime() - Date.parse(updated_at) < STUCK_MS) return false;
  const message = 'The source server has made no progress for a day.';
  await recordFailure(deps, deps.db, id, { relation: entity_type, kind: 'ImportTimeout', message });
  await endEntity(deps, id, IMPORT_STATUS.timeout);
  return true;
}

/** Registers the job that imports entities. */
export function registerBulkImports(deps: Deps): void {
  deps.jobs.register(ENTITY, async ({ entity_id }, { signal, attempts }) => {
    const entity = await startEntity(deps, entity_id);
    if (entity === null || (await endLate(deps, entity.entity))) return;
    try {
      await bring(deps, entity.entity, entity.import, signal);
      await endEntity(deps, entity_id, IMPORT_STATUS.finished);
    } catch (error) {
      if (error instanceof ImportStopped) return;
      if (signal.aborted || retryDelayOf(error) !== null || environmentFaultOf(error) !== null) throw error;
      const problem = lastingProblem(error);
      if (problem === null && attempts < ENTITY.maxAttempts) throw error;
      deps.log.log('warn', 'a group or project could not be imported', { entity: entity_id, error: String(error) });
      const message = problem ?? 'The entity could not be imported.';
      await recordFailure(deps, deps.db, entity_id, {
        relation: entity.entity.entity_type,
        kind: 'ImportFailed',
        message,
      });
      await endEntity(deps, entity_id, IMPORT_STATUS.failed);
    }
  });
}
