import type { UserCaller } from '../../../access/caller.ts';
import { lineageIds } from '../../../access/membership.ts';
import { VISIBILITIES, visibilityLevel } from '../../../core/access-levels.ts';
import { ApiError } from '../../../core/errors.ts';
import type { BulkImportEntity } from '../../../db/tables/bulk-import-entities.ts';
import { IMPORT_STATUS } from '../../../db/tables/bulk-imports.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import type { Importing } from '../../../import-export/imports/importing.ts';
import { People } from '../../../import-export/imports/people.ts';
import { type Given, integer, isGiven, text, Unfit } from '../../../import-export/imports/take.ts';
import { recordFailure } from '../../../import-export/imports/trackers.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { closer, mostOpenAllowed } from '../../../settings/visibility.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { updateGroup } from '../../spaces/index.ts';
import { enterEntity } from '../bulk-imports/enter.ts';
import { ensureGroup } from '../bulk-imports/place.ts';
import { endEntity } from '../bulk-imports/status.ts';
import { writeRelations } from '../file-relations.ts';
import { takenSettings } from '../group-settings.ts';

/** An archive that was taken apart, and who asked for it. */
export interface Bringing {
  deps: Deps;
  caller: UserCaller;
  files: ReadonlyMap<string, StoredBlob>;
  signal: AbortSignal;
}

const MAX_GROUPS = 10_000;
const MAX_SELF = 1024 * 1024;
const visibilityOf = ({ visibility_level: level }: Given) =>
  VISIBILITIES.find((each) => visibilityLevel(each) === level) ?? 'private';

/** The groups of an archive by the group that each is below; `null` leads to the one above all. @throws Unfit */
async function treeOf({ deps, files }: Bringing): Promise<Map<number | null, Given[]>> {
  const names = [...files.keys()].flatMap((name) => /^tree\/groups\/(\d{1,15})\.json$/.exec(name)?.[1] ?? []);
  if (names.length > MAX_GROUPS) throw new Unfit(`the archive has more than ${MAX_GROUPS} groups`);
  const groups = new Map<number, Given>();
  for (const id of names) {
    const given = await read(deps, files.get(`tree/groups/${id}.json`));
    if (given === null) throw new Unfit(`tree/groups/${id}.json cannot be read`);
    groups.set(Number(id), { ...selfOf(given), id: Number(id) });
  }
  const below = Map.groupBy(groups.values(), ({ parent_id }) => {
    const parent = integer(parent_id, 1, Number.MAX_SAFE_INTEGER);
    return parent !== null && groups.has(parent) ? parent : null;
  });
  if (below.get(null)?.length !== 1) throw new Unfit('the archive has no group that is above all others');
  return below;
}

const short = (value: unknown, max: number): string | null =>
  typeof value === 'string' ? text(value.slice(0, max)) : null;

/** The object that a file holds; null where there is none. */
async function read({ blobs }: Deps, file: StoredBlob | undefined): Promise<Given | null> {
  if (file === undefined || file.size > MAX_SELF) return null;
  const bytes = await blobs.read(file.sha256, 0, file.size);
  try {
    const found: unknown = JSON.parse(bytes?.toString() ?? '');
    return isGiven(found) ? found : null;
  } catch {
    return null;
  }
}

/** Of the attributes of a group those that say where it is and what it is called. */
function selfOf({ parent_id, visibility_level, name, path, description }: Given): Given {
  const texts = { name: short(name, 255), path: short(path, 255), description: short(description, 500) };
  return { parent_id, visibility_level, ...texts };
}

/** The settings of a group, which are read when it is its turn: all together may be large. */
const settingsOf = async ({ deps, files }: Bringing, { id }: Given): Promise<Given> => ({
  ...(await read(deps, files.get(`tree/groups/${id}.json`))),
  ...(await read(deps, files.get(`tree/groups/${id}/namespace_settings.ndjson`))),
});

/**
 * Gives the group that is there already what the archive says of it, no more open than its place lets.
 * @throws Unfit where the caller may change it no more
 */
async function applyAttributes(bringing: Bringing, given: Given, group: Namespace): Promise<Namespace> {
  const { deps, caller } = bringing;
  const parent =
    group.parent_id === null
      ? undefined
      : await deps.db.selectFrom('namespaces').selectAll().where('id', '=', group.parent_id).executeTakeFirst();
  const wanted = visibilityOf(given);
  const limit = parent === undefined ? wanted : closer(wanted, parent.visibility);
  const visibility = mostOpenAllowed(await applicationSettings(deps), caller, limit);
  const settings = await takenSettings(deps, await settingsOf(bringing, given), {
    topLevel: parent === undefined,
    projects: false,
  });
  const description = text(given.description, 500) ?? '';
  try {
    return await updateGroup(deps, caller, group, { ...settings, description, visibility });
  } catch (error) {
    throw error instanceof ApiError ? new Unfit(error.message) : error;
  }
}

/** The entity of a group below another, entered when it is first come to. */
async function entityOf(
  { deps }: Bringing,
  parent: BulkImportEntity,
  { full_path }: Namespace,
  given: Given,
): Promise<BulkImportEntity> {
  const { db } = deps;
  const slug = text(given.path, 255) ?? '';
  await enterEntity(deps, db, {
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

function importingInto({ deps, caller }: Bringing, { id, lineage }: Namespace): Importing {
  const groupIds = lineageIds(lineage);
  const origin = { hostname: 'file', importType: 'gitlab_group', importerId: caller.user.id } as const;
  return {
    deps,
    place: { kind: 'group', id, groupIds },
    people: new People(deps, { ...origin, namespaceId: groupIds[0]! }),
    hasCommit: async () => false,
    makeRepository: async () => false,
  };
}

async function fill(bringing: Bringing, entity: BulkImportEntity, group: Namespace, given: Given): Promise<void> {
  const { deps, files, signal } = bringing;
  const importing = importingInto(bringing, group);
  const folder = `tree/groups/${given.id}`;
  const open = async (relation: string) => {
    const file = files.get(`${folder}/${relation}.ndjson`);
    return file === undefined ? null : deps.blobs.get(file.sha256);
  };
  await writeRelations({ deps, entity, importing, signal, open });
}

/**
 * Brings a group and all below it, each once however often it is begun. What cannot be made is told, and passed over with
 * what is below it.
 * @param root the entity of the group that is there already
 * @throws Unfit for an archive that is none of a group; Stopped
 */
export async function bringTree(bringing: Bringing, root: BulkImportEntity): Promise<void> {
  const { deps, caller } = bringing;
  const below = await treeOf(bringing);
  const [first] = below.get(null)!;
  const { namespace_id } = root;
  const row = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', namespace_id ?? 0)
    .executeTakeFirst();
  if (row === undefined) throw new Unfit('the group is gone');
  const waiting = [{ entity: root, group: await applyAttributes(bringing, first!, row), given: first! }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { entity, group, given } = next;
    if (entity.status === IMPORT_STATUS.started) await fill(bringing, entity, group, given);
    for (const child of below.get(given.id as number) ?? []) {
      const of = await entityOf(bringing, entity, group, child);
      // One that has been there, and is gone, stays gone.
      if (of.status !== IMPORT_STATUS.started && of.namespace_id === null) continue;
      try {
        const settings = await settingsOf(bringing, child);
        const attributes = { ...settings, ...child, visibility: visibilityOf(child) };
        const place = await ensureGroup(deps, caller, of, attributes);
        if (place.kind === 'group') waiting.push({ entity: of, group: place.group, given: child });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        await recordFailure(deps, deps.db, root.id, {
          relation: 'group',
          kind: 'ImportFailed',
          message: error.message.slice(0, 255),
          title: text(child.name, 1_000)?.slice(0, 255) ?? null,
        });
        await endEntity(deps, of.id, IMPORT_STATUS.failed);
      }
    }
    if (entity.id !== root.id) await endEntity(deps, entity.id, IMPORT_STATUS.finished);
  }
}
