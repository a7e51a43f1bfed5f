import { AccessLevel, roleName } from '../../../core/access-levels.ts';
import { type MemberFacts, memberFacts } from '../../../core/event-facts.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { groupOf } from './groups.payload.ts';
import { isoSeconds } from './payloads.times.ts';
import type { BuiltPayload, Payload } from './types.ts';
import { userOf } from './users.payload.ts';

type MemberEvent = RecordedEvent<'member.added' | 'member.updated' | 'member.removed'>;
type RequestEvent = RecordedEvent<'access_request.created' | 'access_request.removed'>;
type Event = MemberEvent | RequestEvent;

const IN_GROUP = {
  'member.added': 'user_add_to_group',
  'member.updated': 'user_update_for_group',
  'member.removed': 'user_remove_from_group',
  'access_request.created': 'user_access_request_to_group',
  'access_request.removed': 'user_access_request_revoked_for_group',
} as const;
const IN_PROJECT = {
  'member.added': 'user_add_to_team',
  'member.updated': 'user_update_for_team',
  'member.removed': 'user_remove_from_team',
  'access_request.created': 'user_access_request_to_project',
  'access_request.removed': 'user_access_request_revoked_for_project',
} as const;

/** Returns a membership or access request as recorded with the event. */
function factsOf({ payload, created_at }: Event): MemberFacts {
  if ('access_level' in payload) {
    const { member, access_level } = payload;
    return member ?? { access_level, expires_at: null, created_at, updated_at: null };
  }
  const at = payload.requested_at ?? created_at;
  return { access_level: AccessLevel.developer, expires_at: null, created_at: at, updated_at: at };
}

const times = ({ created_at, updated_at }: MemberFacts) => ({
  created_at: isoSeconds(created_at),
  updated_at: isoSeconds(updated_at ?? created_at),
});

const named = (user: User) => ({
  user_username: user.username,
  user_name: user.name,
  user_email: user.email,
  user_id: user.id,
});

/** Payload for a member of a group. */
async function ofGroup(deps: Deps, event: Event, event_name: string): Promise<Payload | undefined> {
  const group = await groupOf(deps.db, event.payload.source_id);
  const user = await userOf(deps.db, event.payload.user_id);
  if (group === undefined || user === undefined) return undefined;
  const facts = factsOf(event);
  return {
    ...times(facts),
    group_name: group.name,
    group_path: group.path,
    group_id: group.id,
    ...named(user),
    group_access: roleName(facts.access_level),
    group_plan: null,
    expires_at: facts.expires_at === null ? null : `${facts.expires_at}T00:00:00Z`,
    event_name,
  };
}

async function ofProject(deps: Deps, event: Event): Promise<Payload | undefined> {
  const { source_id, user_id } = event.payload;
  const project = await deps.db.selectFrom('projects').selectAll().where('id', '=', source_id).executeTakeFirst();
  const user = await userOf(deps.db, user_id);
  if (project === undefined || user === undefined) return undefined;
  const facts = factsOf(event);
  return {
    ...times(facts),
    event_name: IN_PROJECT[event.type],
    access_level: roleName(facts.access_level),
    project_id: project.id,
    project_name: project.name,
    project_path: project.path,
    project_path_with_namespace: project.full_path,
    ...named(user),
    project_visibility: project.visibility,
  };
}

/** Hook payload of a group for a member who is added, updated or removed, or for an access request. */
export async function memberHookEvent(deps: Deps, event: Event): Promise<BuiltPayload | undefined> {
  const { source_id, user_id } = event.payload;
  const denied = event.type === 'access_request.removed';
  // Withdrawing one's own access request is not a denial.
  if (denied && event.actor_id === user_id) return undefined;
  const name = denied ? 'user_access_request_denied_for_group' : IN_GROUP[event.type];
  const payload = await ofGroup(deps, event, name);
  return payload && { groupId: source_id, payload };
}

/** System hook payload for a member of a group or project. */
export async function memberSystemEvent(deps: Deps, event: Event): Promise<BuiltPayload | undefined> {
  const group = event.payload.source_type === 'group';
  const payload = group ? await ofGroup(deps, event, IN_GROUP[event.type]) : await ofProject(deps, event);
  if (payload === undefined) return undefined;
  const { group_plan: _, expires_at: __, ...systemPayload } = payload;
  return { payload: systemPayload };
}

/**
 * Returns the payload of the last member of a group as if just added, for tests of hooks; undefined if there is none.
 */
export async function sampleMember(
  deps: Deps,
  groupId: number,
  userId: number | null,
): Promise<BuiltPayload | undefined> {
  const row = await deps.db
    .selectFrom('members')
    .selectAll()
    .where('source_type', '=', 'group')
    .where('source_id', '=', groupId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { source_type, source_id, user_id, access_level } = row;
  const payload = { source_type, source_id, user_id, access_level, member: memberFacts(row) };
  const about = { project_id: null, group_id: groupId, actor_id: userId, created_at: row.created_at };
  return memberHookEvent(deps, { id: 0, type: 'member.added', ...about, payload });
}
