import { AccessLevel, roleName } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { projectUrl } from '../../code/index.ts';
import { usersById } from '../../identity/index.ts';
import { groupWebUrl } from '../../spaces/index.ts';
import { type Block, line } from '../mails/notification-mails.block.ts';
import { projectHeaders } from '../mails/notification-mails.headers.ts';
import { notifyUsers, type PersonalNotification } from '../mails/personal-notification.ts';
import { hasMailsDisabled, projectContextOf } from '../recipients/project-context.ts';

/** Maximum number of recipients of an access request. */
const MAX_ASKED = 10;

export const MEMBERSHIP_EVENTS = [
  'member.added',
  'member.removed',
  'access_request.created',
  'access_request.removed',
  'access_token.expiring',
  'deploy_token.expiring',
] as const;
export type MembershipEvent = RecordedEvent<(typeof MEMBERSHIP_EVENTS)[number]>;

/** Whether an event causes a mail: not for actions on oneself, and for tokens only a week before they expire. */
export function notifiesOfMembership({ type, actor_id, payload }: MembershipEvent): boolean {
  if ('days' in payload) return payload.days === 7;
  return type === 'access_request.created' || actor_id !== payload.user_id;
}

/** A project or group, as named in mails. */
export interface MembershipSource {
  kind: 'project' | 'group';
  id: number;
  name: string;
  path: string;
  url: string;
  headers: Record<string, string>;
  /** Ids of the ancestor groups of a project. */
  groupIds: number[];
}

/** Notifies the users concerned by an event of a membership, access request or token. */
export async function notifyOfMembership(deps: Deps, event: MembershipEvent): Promise<void> {
  const { source_type, source_id } = event.payload;
  const source = await membershipSourceOf(deps, source_type, source_id);
  if (source === undefined) return;
  const actor = (await usersById(deps.db, [event.actor_id])).get(event.actor_id ?? 0) ?? null;
  const notice = await personalOf(deps, event, source, actor);
  if (notice === undefined) return;
  const { userIds, subject, sentences } = notice;
  await notifyUsers(deps, {
    occasion: `event:${event.id}`,
    userIds,
    sentences,
    draft: { subject: `${source.name} | ${subject}`, url: source.url, actor, headers: source.headers },
    space: source.kind === 'project' ? { projectId: source.id } : { groupId: source.id },
  });
}

type MembershipNotice = Pick<PersonalNotification, 'userIds'> & { subject: string; sentences: Block[] };

async function personalOf(
  deps: Deps,
  event: MembershipEvent,
  source: MembershipSource,
  actor: User | null,
): Promise<MembershipNotice | undefined> {
  const { payload } = event;
  const there = `the ${source.kind} ${source.path}`;
  if ('days' in payload) {
    const what = event.type === 'access_token.expiring' ? 'access token' : 'deploy token';
    const text = `The ${what} ${payload.token.name} of ${there} expires on ${payload.token.expires_at.slice(0, 10)}.`;
    return {
      userIds: await managersOf(deps, source),
      subject: `A ${what} is about to expire`,
      sentences: [line(text)],
    };
  }
  const own = [payload.user_id];
  const by = actor === null ? '' : ` by ${actor.name}`;
  switch (event.type) {
    case 'member.added': {
      const role = roleName('access_level' in payload ? payload.access_level : 0);
      const sentences = [line(`You were granted access to ${there}${by}, as ${role}.`)];
      return { userIds: own, subject: `Access to the ${source.name} ${source.kind} was granted`, sentences };
    }
    case 'member.removed':
      return {
        userIds: own,
        subject: 'Access was removed',
        sentences: [line(`Your access to ${there} was removed${by}.`)],
      };
    case 'access_request.removed':
      return {
        userIds: own,
        subject: 'Access was denied',
        sentences: [line(`Your request for access to ${there} was denied${by}.`)],
      };
    default: {
      const asking = (await usersById(deps.db, own)).get(payload.user_id);
      if (asking === undefined) return undefined;
      const sentences = [line(`${asking.name} (@${asking.username}) requests access to ${there}.`)];
      return {
        userIds: await managersOf(deps, source),
        subject: `Request to join the ${source.name} ${source.kind}`,
        sentences,
      };
    }
  }
}

/** Undefined for deleted objects and for those with mails disabled. */
export async function membershipSourceOf(
  deps: Deps,
  kind: 'project' | 'group',
  id: number,
): Promise<MembershipSource | undefined> {
  if (kind === 'project') {
    const place = await projectContextOf(deps.db, id);
    if (place === undefined || place.mailsDisabled) return undefined;
    const { project, groupIds } = place;
    const { name, full_path: path } = project;
    return { kind, id, name, path, url: projectUrl(deps, project), headers: projectHeaders(deps, place), groupIds };
  }
  const group = await deps.db.selectFrom('namespaces').selectAll().where('id', '=', id).executeTakeFirst();
  if (group === undefined || hasMailsDisabled(group)) return undefined;
  const { name, full_path: path } = group;
  const headers = { 'X-GitLab-Group': name, 'X-GitLab-Group-Id': String(id), 'X-GitLab-Group-Path': path };
  return { kind, id, name, path, url: groupWebUrl(deps, group), headers, groupIds: [] };
}

/** The most recently active managers: Maintainers and Owners of a project, or those of its group if it has none. */
async function managersOf(deps: Deps, source: MembershipSource): Promise<number[]> {
  const own = await decidersOf(deps, source.kind, [source.id]);
  if (own.length > 0 || source.kind === 'group') return own;
  const above = await decidersOf(deps, 'group', source.groupIds);
  if (above.length > 0) return above;
  const owner = await deps.db
    .selectFrom('projects')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select('namespaces.owner_id')
    .where('projects.id', '=', source.id)
    .executeTakeFirst();
  return owner?.owner_id == null ? [] : [owner.owner_id];
}

async function decidersOf({ db, clock }: Deps, type: 'project' | 'group', ids: readonly number[]): Promise<number[]> {
  const minLevel = type === 'project' ? AccessLevel.maintainer : AccessLevel.owner;
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.id')
    .where('members.source_type', '=', type)
    .where('members.source_id', 'in', ids)
    .where('members.access_level', '>=', minLevel)
    .where('members.state', '=', 'active')
    .where((eb) => eb.or([eb('members.expires_at', 'is', null), eb('members.expires_at', '>', today(clock))]))
    .where('users.state', '=', 'active')
    .where('users.kind', '=', 'human')
    .groupBy(['users.id', 'users.last_activity_on'])
    .orderBy((eb) => eb.fn.coalesce('users.last_activity_on', eb.val('')), 'desc')
    .orderBy('users.id')
    .limit(MAX_ASKED)
    .execute();
  return rows.map(({ id }) => id);
}
