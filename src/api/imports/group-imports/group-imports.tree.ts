import { lineageIds } from '../../../access/access.membership.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { VISIBILITIES, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError } from '../../../core/core.errors.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.table.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import {
  coerceInteger,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
} from '../../../import-export/imports/coerce-import.ts';
import type { ImportContext } from '../../../import-export/imports/import-context.ts';
import { ImportedUsers } from '../../../import-export/imports/imported-users.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { maxAllowedVisibility, stricterVisibility } from '../../../settings/settings.visibility.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { updateGroup } from '../../spaces/index.ts';
import { insertImportEntity } from '../bulk-imports/bulk-imports.insert.ts';
import { endEntity } from '../bulk-imports/bulk-imports.status.ts';
import { ensureGroup } from '../bulk-imports/import-destination.ts';
import { writeRelations } from '../file-relations.ts';
import { importedGroupSettings } from '../group-settings.ts';

/** An unpacked archive, and the user who started the import. */
export interface GroupTreeImport {
  deps: Deps;
  caller: UserCaller;
  files: ReadonlyMap<string, StoredBlob>;
  signal: AbortSignal;
}

const MAX_GROUPS = 10_000;
const MAX_SELF = 1024 * 1024;
const visibilityOf = ({ visibility_level: level }: ImportedObject) =>
  VISIBILITIES.find((each) => visibilityLevel(each) === level) ?? 'private';

/**
 * Returns the groups of an archive by parent id; `null` is the parent of the top-level group.
 * @throws InvalidImportObject
 */
async function treeOf({ deps, files }: GroupTreeImport): Promise<Map<number | null, ImportedObject[]>> {
  const names = [...files.keys()].flatMap((name) => /^tree\/groups\/(\d{1,15})\.json$/.exec(name)?.[1] ?? []);
  if (names.length > MAX_GROUPS) throw new InvalidImportObject(`the archive has more than ${MAX_GROUPS} groups`);
  const groups = new Map<number, ImportedObject>();
  for (const id of names) {
    const object = await read(deps, files.get(`tree/groups/${id}.json`));
    if (object === null) throw new InvalidImportObject(`tree/groups/${id}.json cannot be read`);
    groups.set(Number(id), { ...selfOf(object), id: Number(id) });
  }
  const below = Map.groupBy(groups.values(), ({ parent_id }) => {
    const parent = coerceInteger(parent_id, 1, Number.MAX_SAFE_INTEGER);
    return parent !== null && groups.has(parent) ? parent : null;
  });
  if (below.get(null)?.length !== 1) throw new InvalidImportObject('the archive has no top-level group');
  return below;
}

const short = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? coerceText(value.slice(0, max)) : null;

/** Reads the object in a file; null if there is none. */
async function read({ blobs }: Deps, file: StoredBlob | undefined): Promise<ImportedObject | null> {
  if (file === undefined || file.size > MAX_SELF) return null;
  const bytes = await blobs.read(file.sha256, 0, file.size);
  try {
    const parsed: unknown = JSON.parse(bytes?.toString() ?? '');
    return isImportedObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Selects the attributes of a group that define its place and name. */
function selfOf({ parent_id, visibility_level, name, path, description }: ImportedObject): ImportedObject {
  const texts = { name: short(name, 255), path: short(path, 255), description: short(description, 500) };
  return { parent_id, visibility_level, ...texts };
}

/** Reads the settings of a group when it is imported, since all together may be large. */
const settingsOf = async ({ deps, files }: GroupTreeImport, { id }: ImportedObject): Promise<ImportedObject> => ({
  ...(await read(deps, files.get(`tree/groups/${id}.json`))),
  ...(await read(deps, files.get(`tree/groups/${id}/namespace_settings.ndjson`))),
});

/**
 * Applies the attributes of the archive to the existing group, with a visibility that its parent allows.
 * @throws InvalidImportObject if the caller has lost the right
 */
async function applyAttributes(
  treeImport: GroupTreeImport,
  object: ImportedObject,
  group: Namespace,
): Promise<Namespace> {
  const { deps, caller } = treeImport;
  const parent =
    group.parent_id === null
      ? undefined
      : await deps.db.selectFrom('namespaces').selectAll().where('id', '=', group.parent_id).executeTakeFirst();
  const original = visibilityOf(object);
  const limit = parent === undefined ? original : stricterVisibility(original, parent.visibility);
  const visibility = maxAllowedVisibility(await applicationSettings(deps), caller, limit);
  const settings = await importedGroupSettings(deps, await settingsOf(treeImport, object), {
    topLevel: parent === undefined,
    projects: false,
  });
  const description = coerceText(object.description, 500) ?? '';
  try {
    return await updateGroup(deps, caller, group, { ...settings, description, visibility });
  } catch (error) {
    throw error instanceof ApiError ? new InvalidImportObject(error.message) : error;
  }
}

/** Returns the entity of a subgroup, inserting it on first use. */
async function entityOf(
  { deps }: GroupTreeImport,
  parent: BulkImportEntity,
  { full_path }: Namespace,
  object: ImportedObject,
): Promise<BulkImportEntity> {
  const { db } = deps;
  const slug = coerceText(object.path, 255) ?? '';
  await insertImportEntity(deps, db, {
    bulk_import_id: parent.bulk_import_id,
    parent_id: parent.id,
    entity_type: 'group',
    source_full_path: '',
    destination_slug: slug,
    destination_namespace: full_path,
    status: IMPORT_STATUS.started,
    migrate_projects: 0,
    migrate_memberships: 1,
  });
  const query = db.selectFrom('bulk_import_entities').selectAll().where('bulk_import_id', '=', parent.bulk_import_id);
  return query
    .where('entity_type', '=', 'group')
    .where('destination_namespace', '=', full_path)
    .where('destination_slug', '=', slug)
    .executeTakeFirstOrThrow();
}

function importingInto({ deps, caller }: GroupTreeImport, { id, lineage }: Namespace): ImportContext {
  const groupIds = lineageIds(lineage);
  const origin = { hostname: 'file', importType: 'gitlab_group', importerId: caller.user.id } as const;
  return {
    deps,
    place: { kind: 'group', id, groupIds },
    users: new ImportedUsers(deps, { ...origin, namespaceId: groupIds[0]! }),
    hasCommit: async () => false,
    makeRepository: async () => false,
  };
}

async function fill(
  treeImport: GroupTreeImport,
  entity: BulkImportEntity,
  group: Namespace,
  object: ImportedObject,
): Promise<void> {
  const { deps, files, signal } = treeImport;
  const importContext = importingInto(treeImport, group);
  const folder = `tree/groups/${object.id}`;
  const open = async (relation: string) => {
    const file = files.get(`${folder}/${relation}.ndjson`);
    return file === undefined ? null : deps.blobs.get(file.sha256);
  };
  await writeRelations({ deps, entity, importContext, signal, open });
}

/**
 * Imports a group and its descendants, each once even if repeated. Groups that cannot be created are reported and
 * skipped with their descendants.
 * @param root entity of the existing group
 * @throws InvalidImportObject for an archive that is not of a group; Stopped
 */
export async function importGroupTree(treeImport: GroupTreeImport, root: BulkImportEntity): Promise<void> {
  const { deps, caller } = treeImport;
  const below = await treeOf(treeImport);
  const [first] = below.get(null)!;
  const { namespace_id } = root;
  const row = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', namespace_id ?? 0)
    .executeTakeFirstOrThrow(() => new InvalidImportObject('the group was deleted'));
  const waiting = [{ entity: root, group: await applyAttributes(treeImport, first!, row), object: first! }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { entity, group, object } = next;
    if (entity.status === IMPORT_STATUS.started) await fill(treeImport, entity, group, object);
    for (const child of below.get(object.id as number) ?? []) {
      const of = await entityOf(treeImport, entity, group, child);
      // A group that was created and deleted again is not recreated.
      if (of.status !== IMPORT_STATUS.started && of.namespace_id === null) continue;
      try {
        const settings = await settingsOf(treeImport, child);
        const attributes = { ...settings, ...child, visibility: visibilityOf(child) };
        const destination = await ensureGroup(deps, caller, of, attributes);
        if (destination.kind === 'group') waiting.push({ entity: of, group: destination.group, object: child });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        await recordFailure(deps, deps.db, root.id, {
          relation: 'group',
          kind: 'ImportFailed',
          message: error.message.slice(0, 255),
          title: coerceText(child.name, 1_000)?.slice(0, 255) ?? null,
        });
        await endEntity(deps, of.id, IMPORT_STATUS.failed);
      }
    }
    if (entity.id !== root.id) await endEntity(deps, entity.id, IMPORT_STATUS.finished);
  }
}
