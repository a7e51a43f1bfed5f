import type { UserCaller } from '../../../access/caller.ts';
import { laterCaller } from '../../../access/later-caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { comesAgainAfter } from '../../../core/comes-again.ts';
import { ApiError } from '../../../core/errors.ts';
import { faultOf } from '../../../core/surroundings.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import { type BulkImport, IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Deps } from '../../../deps.ts';
import type { Importing } from '../../../import-export/imports/importing.ts';
import { People } from '../../../import-export/imports/people.ts';
import { RemoteRefusal, RemoteServer } from '../../../import-export/imports/remote-server.ts';
import { Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure, requireStarted, Stopped } from '../../../import-export/imports/trackers.ts';
import { BlockedAddress } from '../../../outbound/resolve.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { enterChildren } from './children.ts';
import { ENTITY } from './jobs.ts';
import { readMembers } from './members.ts';
import { ensureGroup, ensureProject, type Place } from './place.ts';
import { type Reading, readRelations, requireObject } from './relations.ts';
import { fetchInto, fetchRepository, fetchWiki, pathOf, refreshOpened } from './repository.ts';
import { endEntity, startEntity } from './status.ts';

const STUCK_MS = 86_400_000;

/** What objects of a place are written with. */
function importingInto(
  deps: Deps,
  row: BulkImport,
  {
    caller,
    entity,
    place,
    signal,
  }: { caller: UserCaller; entity: BulkImportEntity; place: Place; signal: AbortSignal },
): Importing {
  const { source_url } = row;
  const { root } = place;
  const people = new People(deps, {
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
    people,
    hasCommit: async (sha) => {
      if (place.kind === 'group') return false;
      const info = await repositoryOf(deps, place.project).objects.info(sha);
      return info?.type === 'commit';
    },
    makeRepository: (of, dir) => fetchInto(deps, row, { path: `${entity.source_full_path}${pathOf(of)}`, dir, signal }),
  };
}

async function bring(deps: Deps, entity: BulkImportEntity, row: BulkImport, signal: AbortSignal): Promise<void> {
  const caller = await laterCaller(deps, row.user_id);
  if (caller === undefined || row.token === null) throw new Unfit('who asked for it is gone or blocked');
  const server = new RemoteServer(deps, row.source_url, row.token, signal);
  const path = `/${entity.entity_type}s/${encodeURIComponent(entity.source_full_path)}`;
  const given = requireObject(await server.find(path), entity.source_full_path);
  let place =
    entity.entity_type === 'group'
      ? await ensureGroup(deps, caller, entity, given)
      : await ensureProject(deps, caller, entity, given);
  if (place.kind === 'project')
    place = { ...place, project: await fetchRepository(deps, entity, row, place.project, signal) };
  await requireStarted(deps, deps.db, entity);
  const reading: Reading = {
    deps,
    entity,
    server,
    importing: importingInto(deps, row, { caller, entity, place, signal }),
    signal,
  };
  if (entity.migrate_memberships === 1 && place.root.kind === 'group') await readMembers(reading);
  await readRelations(reading);
  await fetchWiki(reading, given);
  if (place.kind === 'project') await refreshOpened(deps, place.project);
  else await enterChildren(reading, place.group);
}

/** Why an entity cannot be brought at all; null for what another attempt may get over. */
function lastingProblem(error: unknown): string | null {
  if (error instanceof Unfit || error instanceof RemoteRefusal) return error.message;
  if (error instanceof BlockedAddress) return `The address ${error.message}`;
  return error instanceof ApiError ? error.message : null;
}

/** Ends an entity that nothing was written for in a day: the other server keeps it waiting for ever. @returns whether it did */
async function endLate(deps: Deps, { id, entity_type, updated_at }: BulkImportEntity): Promise<boolean> {
  if (deps.clock.now().getTime() - Date.parse(updated_at) < STUCK_MS) return false;
  const message = 'The other server has not gone on for a day.';
  await recordFailure(deps, deps.db, id, { relation: entity_type, kind: 'ImportTimeout', message });
  await endEntity(deps, id, IMPORT_STATUS.timeout);
  return true;
}

/** Names the work that brings groups and projects. */
export function registerBulkImports(deps: Deps): void {
  deps.jobs.register(ENTITY, async ({ entity_id }, { signal, attempts }) => {
    const entity = await startEntity(deps, entity_id);
    if (entity === null || (await endLate(deps, entity.entity))) return;
    try {
      await bring(deps, entity.entity, entity.import, signal);
      await endEntity(deps, entity_id, IMPORT_STATUS.finished);
    } catch (error) {
      if (error instanceof Stopped) return;
      if (signal.aborted || comesAgainAfter(error) !== null || faultOf(error) !== null) throw error;
      const problem = lastingProblem(error);
      if (problem === null && attempts < ENTITY.maxAttempts) throw error;
      deps.log.log('warn', 'a group or project could not be imported', { entity: entity_id, error: String(error) });
      const message = problem ?? 'It could not be brought.';
      await recordFailure(deps, deps.db, entity_id, {
        relation: entity.entity.entity_type,
        kind: 'ImportFailed',
        message,
      });
      await endEntity(deps, entity_id, IMPORT_STATUS.failed);
    }
  });
}
