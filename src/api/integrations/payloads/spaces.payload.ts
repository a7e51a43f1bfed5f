import { lineageIds } from '../../../access/access.membership.ts';
import { AccessLevel } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import { type GroupFacts, groupFacts, type ProjectFacts, projectFacts } from '../../../core/event-facts.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { groupOf } from './groups.payload.ts';
import { isoSeconds } from './payloads.times.ts';
import type { BuiltPayload, Payload } from './types.ts';
import { HIDDEN, userOf } from './users.payload.ts';

type ProjectEvent = RecordedEvent<
  'project.created' | 'project.destroyed' | 'project.renamed' | 'project.transferred' | 'project.updated'
>;
type GroupEvent = RecordedEvent<'group.created' | 'group.destroyed' | 'group.renamed'>;

const PROJECT_EVENTS = {
  'project.created': 'project_create',
  'project.destroyed': 'project_destroy',
  'project.renamed': 'project_rename',
  'project.transferred': 'project_transfer',
  'project.updated': 'project_update',
} as const;
const GROUP_EVENTS = {
  'group.created': 'group_create',
  'group.destroyed': 'group_destroy',
  'group.renamed': 'group_rename',
} as const;

const times = ({ created_at, updated_at }: { created_at: string; updated_at: string }) => ({
  created_at: isoSeconds(created_at),
  updated_at: isoSeconds(updated_at),
});

const owner = (user: Pick<User, 'name' | 'public_email'>) => ({
  name: user.name,
  email: user.public_email || HIDDEN,
});

/** Returns the owners of a namespace: its user, or the owners of the group and its ancestors. */
async function ownersIn({ db, clock }: Deps, namespace: Namespace | undefined) {
  if (namespace === undefined) return [];
  if (namespace.kind === 'user') {
    const user = await userOf(db, namespace.owner_id);
    return user === undefined ? [] : [owner(user)];
  }
  const users = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.name', 'users.public_email'])
    .distinct()
    .where('members.source_type', '=', 'group')
    .where('members.source_id', 'in', lineageIds(namespace.lineage))
    .where('members.access_level', '=', AccessLevel.owner)
    .where('members.state', '=', 'active')
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', today(clock))]))
    .orderBy('users.id')
    .execute();
  return users.map(owner);
}

/** Returns the project as recorded with the event, else the current one; undefined if deleted. */
async function factsOf({ db }: Deps, { payload }: ProjectEvent): Promise<ProjectFacts | undefined> {
  if (payload.project !== undefined) return payload.project;
  return db.selectFrom('projects').selectAll().where('id', '=', payload.project_id).executeTakeFirst();
}

async function tellProject(deps: Deps, event: ProjectEvent): Promise<Payload | undefined> {
  const project = await factsOf(deps, event);
  if (project === undefined) return undefined;
  const namespace = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirst();
  const owners = await ownersIn(deps, namespace);
  const [user] = namespace?.kind === 'user' ? owners : [];
  return {
    event_name: PROJECT_EVENTS[event.type],
    ...times(project),
    name: project.name,
    path: project.path,
    path_with_namespace: project.full_path,
    project_id: event.payload.project_id,
    project_namespace_id: project.namespace_id,
    owner_name: user?.name ?? namespace?.name ?? null,
    owner_email: user?.email ?? '',
    owners,
    project_visibility: project.visibility,
    ...('old_full_path' in event.payload ? { old_path_with_namespace: event.payload.old_full_path } : {}),
  };
}

/**
 * Whether system hooks are told of a change of a project. One renamed with its namespace has no facts: the event of the
 * namespace covers it.
 */
export const isProjectChange = ({ type, payload }: ProjectEvent): boolean =>
  type === 'project.renamed' ? payload.project !== undefined : !('renamed' in payload && payload.renamed === true);

/** Hook payload of a group for a project that was created or deleted in it. */
export async function projectHookEvent(
  deps: Deps,
  event: RecordedEvent<'project.created' | 'project.destroyed'>,
): Promise<BuiltPayload | undefined> {
  const payload = await tellProject(deps, event);
  if (payload === undefined) return undefined;
  const { owner_name: _, owner_email: __, ...hookPayload } = payload;
  return { groupId: payload.project_namespace_id as number, payload: hookPayload };
}

/** System hook payload for a project. */
export async function projectSystemEvent(deps: Deps, event: ProjectEvent): Promise<BuiltPayload | undefined> {
  const payload = await tellProject(deps, event);
  return payload && { payload };
}

async function groupFactsOf({ db }: Deps, { payload }: GroupEvent): Promise<GroupFacts | undefined> {
  return payload.group ?? (await groupOf(db, payload.group_id));
}

const last = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** System hook payload for a group. */
export async function groupSystemEvent(deps: Deps, event: GroupEvent): Promise<BuiltPayload | undefined> {
  const group = await groupFactsOf(deps, event);
  if (group === undefined) return undefined;
  const old = 'old_full_path' in event.payload ? event.payload.old_full_path : undefined;
  const payload = {
    ...times(group),
    event_name: GROUP_EVENTS[event.type],
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    group_id: event.payload.group_id,
    ...(old === undefined ? {} : { old_path: last(old), old_full_path: old }),
  };
  return { payload };
}

/** Hook payload of a group for a subgroup that was created or deleted. */
export async function subgroupHookEvent(
  deps: Deps,
  event: RecordedEvent<'group.created' | 'group.destroyed'>,
): Promise<BuiltPayload | undefined> {
  const group = await groupFactsOf(deps, event);
  const parentId = group?.parent_id ?? null;
  if (group === undefined || parentId === null) return undefined;
  // When a tree of groups is deleted, the parent may be deleted as well.
  const parentPath = group.full_path.slice(0, group.full_path.lastIndexOf('/'));
  const parent = (await groupOf(deps.db, parentId)) ?? {
    name: last(parentPath),
    path: last(parentPath),
    full_path: parentPath,
  };
  const payload = {
    ...times(group),
    event_name: event.type === 'group.created' ? 'subgroup_create' : 'subgroup_destroy',
    name: group.name,
    path: group.path,
    full_path: group.full_path,
    group_id: event.payload.group_id,
    parent_group_id: parentId,
    parent_name: parent.name,
    parent_path: parent.path,
    parent_full_path: parent.full_path,
  };
  return { groupId: parentId, payload };
}

/**
 * Returns the payload of the last project of a group as if just created, for tests of hooks; undefined if there is
 * none.
 */
export async function sampleProject(
  deps: Deps,
  groupId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('projects')
    .selectAll()
    .where('namespace_id', '=', groupId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const about = { project_id: row.id, group_id: null, actor_id: userId, created_at: row.created_at };
  const payload = { project_id: row.id, project: projectFacts(row) };
  return projectHookEvent(deps, { id: 0, type: 'project.created', ...about, payload });
}

/**
 * Returns the payload of the last subgroup of a group as if just created, for tests of hooks; undefined if there is
 * none.
 */
export async function sampleSubgroup(
  deps: Deps,
  groupId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('parent_id', '=', groupId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const about = { project_id: null, group_id: row.id, actor_id: userId, created_at: row.created_at };
  const payload = { group_id: row.id, group: groupFacts(row) };
  return subgroupHookEvent(deps, { id: 0, type: 'group.created', ...about, payload });
}
