import { lineageIds } from '../../../access/access.membership.ts';
import type { Caller } from '../../../access/caller.ts';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { type Ids, prepared } from '../../../db/prepared.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { CustomAttribute } from '../custom-attributes/custom-attributes.responses.ts';
import { GroupStatistics, type PublicGroup } from './groups.responses.ts';
import { type GroupSettings, groupSettings, settingFields } from './groups.settings.ts';

/** Data for the group object in addition to its row. */
export interface GroupExtras {
  fullName: string;
  repositoryStorage?: string;
  statistics?: GroupStatistics;
  customAttributes?: CustomAttribute[];
}

/** URL of the group's avatar; null for none. */
export function groupAvatarUrl(
  deps: Pick<Deps, 'externalUrl'>,
  group: Pick<Namespace, 'id' | 'avatar'>,
): string | null {
  if (group.avatar === null) return null;
  const file = group.avatar.slice(group.avatar.indexOf('/') + 1);
  return `${deps.externalUrl()}/uploads/-/system/group/avatar/${group.id}/${encodeURIComponent(file)}`;
}

/** URL of the group. */
export const groupWebUrl = (deps: Pick<Deps, 'externalUrl'>, group: Pick<Namespace, 'full_path'>): string =>
  `${deps.externalUrl()}/groups/${group.full_path}`;

/** Renders a group as `PublicGroup`. */
export const publicGroup = (deps: Deps, group: Namespace, fullName: string): PublicGroup => ({
  id: group.id,
  web_url: groupWebUrl(deps, group),
  name: group.name,
  avatar_url: groupAvatarUrl(deps, group),
  full_name: fullName,
  full_path: group.full_path,
});

function shown(settings: GroupSettings): Pick<GroupSettings, keyof typeof settingFields> {
  return Object.fromEntries(
    (Object.keys(settingFields) as (keyof typeof settingFields)[]).map((name) => [name, settings[name]]),
  ) as Pick<GroupSettings, keyof typeof settingFields>;
}

/** Renders a group for lists. */
export function groupEntity(deps: Deps, group: Namespace, extras: GroupExtras) {
  const settings = groupSettings(group);
  return {
    id: group.id,
    web_url: groupWebUrl(deps, group),
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    ...shown(settings),
    emails_disabled: !settings.emails_enabled,
    archived: group.archived === 1,
    avatar_url: groupAvatarUrl(deps, group),
    request_access_enabled: group.request_access_enabled === 1,
    full_name: extras.fullName,
    full_path: group.full_path,
    created_at: group.created_at,
    parent_id: group.parent_id,
    organization_id: 1,
    marked_for_deletion_on: group.marked_for_deletion_on,
    file_template_project_id: group.file_template_project_id,
    root_storage_statistics: null,
    ...(extras.repositoryStorage === undefined ? {} : { repository_storage: extras.repositoryStorage }),
    ...(extras.statistics === undefined ? {} : { statistics: extras.statistics }),
    ...(extras.customAttributes === undefined ? {} : { custom_attributes: extras.customAttributes }),
  };
}

export interface Presentation {
  statistics?: boolean | undefined;
  customAttributes?: boolean | undefined;
}

const namesOf = prepared((db, { ids }: Ids) =>
  db.selectFrom('namespaces').select(['id', 'name']).where('id', 'in', ids),
);

/** Returns the full names, `Parent / Child`, of namespaces by id, with one query. */
export async function fullNames(db: Db, namespaces: readonly Namespace[]): Promise<Map<number, string>> {
  const ids = [...new Set(namespaces.flatMap(({ lineage }) => lineageIds(lineage)))];
  const rows = ids.length === 0 ? [] : await namesOf(db, { ids });
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    namespaces.map(({ id, lineage }) => [
      id,
      lineageIds(lineage)
        .map((each) => names.get(each) ?? '')
        .join(' / '),
    ]),
  );
}

/** Renders groups for lists with a bounded number of queries. */
export async function presentGroups(
  deps: Deps,
  caller: Caller,
  groups: readonly Namespace[],
  { statistics = false, customAttributes = false }: Presentation = {},
): Promise<ReturnType<typeof groupEntity>[]> {
  const ids = groups.map(({ id }) => id);
  const names = await fullNames(deps.db, groups);
  const storages = caller.admin ? await storagesOf(deps.db, ids) : undefined;
  const sizes = statistics && caller.admin ? await statisticsOf(deps.db, ids) : undefined;
  const custom = customAttributes && caller.admin ? await customAttributesOf(deps.db, ids) : undefined;
  return groups.map((group) => {
    const extras: GroupExtras = { fullName: names.get(group.id) ?? group.name };
    if (caller.admin) extras.repositoryStorage = storages?.get(group.id) ?? deps.storages.list[0]!.name;
    if (sizes !== undefined) extras.statistics = sizes.get(group.id)!;
    if (custom !== undefined) extras.customAttributes = custom.get(group.id) ?? [];
    return groupEntity(deps, group, extras);
  });
}

/** Renders groups as `PublicGroup`. */
export async function presentPublicGroups(deps: Deps, groups: readonly Namespace[]): Promise<PublicGroup[]> {
  const names = await fullNames(deps.db, groups);
  return groups.map((group) => publicGroup(deps, group, names.get(group.id) ?? group.name));
}

/** Loads the storages of group wikis, by group; groups without a wiki are missing. */
async function storagesOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('wikis')
    .select(['namespace_id', 'repository_storage'])
    .where('namespace_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ namespace_id, repository_storage }) => [namespace_id!, repository_storage]));
}

const KINDS = Object.keys(GroupStatistics.properties);

async function statisticsOf(db: Db, ids: readonly number[]): Promise<Map<number, GroupStatistics>> {
  const sums = new Map(ids.map((id) => [id, Object.fromEntries(KINDS.map((kind) => [kind, 0]))]));
  if (ids.length === 0) return sums;
  const rows = await db
    .selectFrom('projects')
    .select(['namespace_id', 'statistics'])
    .where('namespace_id', 'in', ids)
    .execute();
  for (const { namespace_id, statistics } of rows) {
    const sum = sums.get(namespace_id)!;
    const sizes = parseJson<Record<string, number>>(statistics);
    for (const kind of KINDS) sum[kind] = sum[kind]! + (sizes[kind] ?? 0);
  }
  return sums;
}

async function customAttributesOf(db: Db, ids: readonly number[]): Promise<Map<number, CustomAttribute[]>> {
  const group = new Map<number, CustomAttribute[]>();
  if (ids.length === 0) return group;
  const rows = await db
    .selectFrom('custom_attributes')
    .select(['source_id', 'key', 'value'])
    .where('source_type', '=', 'group')
    .where('source_id', 'in', ids)
    .orderBy('key')
    .execute();
  for (const { source_id, key, value } of rows) group.set(source_id, [...(group.get(source_id) ?? []), { key, value }]);
  return group;
}
