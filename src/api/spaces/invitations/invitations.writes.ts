import type { EffectiveMembership } from '../../../access/role-permissions.ts';
import { recordInvitation } from '../../../audit/invitations.audit.ts';
import { timestamp, today } from '../../../core/clock.ts';
import { ApiError, type FieldErrors, forbidden, invalidParameter, recordNotFound } from '../../../core/core.errors.ts';
import { isUniqueViolation } from '../../../db/db.errors.ts';
import type { Db } from '../../../db/db.schema.ts';
import { contains, equalsIgnoringCase } from '../../../db/like.ts';
import type { Invitation } from '../../../db/tables/invitations.table.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import { maySignUp } from '../../../settings/sign-up-addresses.ts';
import { emailErrors, userWithAddress } from '../../identity/index.ts';
import { grantedBy } from '../member-roles/member-roles.assign.ts';
import { type MembershipInput, requireCover, validateMembership } from '../members/members.rules.ts';
import { addMember, addMembers, type Change, requireManager } from '../members/members.writes.ts';
import type { Source } from '../spaces.source.ts';

const MAX_EMAILS = 100;
/** Stands for no user, so that a membership is validated independently of the user. */
const ANYBODY = 0;

/** Query for the pending invitations to a project or group, without those whose membership would have expired. */
export function invitationsOf({ db, clock }: Pick<Deps, 'db' | 'clock'>, source: Source, query?: string) {
  const open = db
    .selectFrom('invitations')
    .selectAll()
    .where('source_type', '=', source.kind)
    .where('source_id', '=', source.id)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', today(clock))]))
    .orderBy('id');
  return query === undefined || query === '' ? open : open.where((eb) => contains(eb.ref('email'), query));
}

/** Returns the pending invitation of an address. @throws ApiError 404 */
export async function findInvitation(deps: Pick<Deps, 'db' | 'clock'>, source: Source, email: string) {
  return invitationsOf(deps, source)
    .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
    .executeTakeFirstOrThrow(recordNotFound);
}

/** Converts an error to a sentence about one invitation. */
function sentence(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 409) return 'User already exists in source';
  const { errors } = error.body as { errors?: FieldErrors };
  if (errors === undefined) return error.message;
  return Object.entries(errors)
    .flatMap(([field, texts]) => texts.map((text) => `${titled(field)} ${text}`))
    .join(' and ');
}

const titled = (field: string): string => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;

/**
 * Invites addresses and adds users, independently of each other. A confirmed address of a user adds the user
 * immediately.
 * @returns failures by address, user name or id
 * @throws ApiError 400 for more than 100 addresses or users, 403 for a role above one's own
 */
export async function invite(
  deps: Deps,
  change: Change,
  own: EffectiveMembership,
  who: { emails: readonly string[]; ids: readonly number[] },
  input: MembershipInput,
): Promise<Record<string, string>> {
  if (input.accessLevel > own.level) throw forbidden();
  if (who.emails.length > MAX_EMAILS) throw invalidParameter(`Too many emails specified (limit is ${MAX_EMAILS})`);
  const refused = new Map<string, string>();
  for (const email of new Set(who.emails)) {
    try {
      await inviteAddress(deps, change, email, input);
    } catch (error) {
      refused.set(email, sentence(error));
    }
  }
  if (who.ids.length > 0) {
    const users = await addMembers(deps, change, { ids: [...new Set(who.ids)] }, input);
    for (const [name, text] of Object.entries(users)) {
      refused.set(name, text === 'Member already exists' ? 'User already exists in source' : text);
    }
  }
  return Object.fromEntries(refused);
}

async function inviteAddress(deps: Deps, change: Change, email: string, input: MembershipInput): Promise<void> {
  const { source, actor } = change;
  const errors = emailErrors(email);
  if (errors.length > 0) throw new ApiError(400, 'Invite email is invalid');
  const user = await userWithAddress(deps.db, email);
  if (user !== undefined) {
    await addMember(deps, change, { ids: [user] }, input);
    return;
  }
  if (!maySignUp(await applicationSettings(deps), email)) {
    throw new ApiError(400, `Invite email is not allowed for this ${source.kind}. Check with your administrator.`);
  }
  try {
    await deps.db.transaction().execute(async (db) => {
      const own = await requireManager(deps, db, change);
      requireCover(own, source, await validateMembership(deps, db, source, ANYBODY, input));
      await db
        .deleteFrom('invitations')
        .where('source_type', '=', source.kind)
        .where('source_id', '=', source.id)
        .where((eb) => equalsIgnoringCase(eb.ref('email'), email))
        .where('expires_at', '<=', today(deps.clock))
        .execute();
      await insert(db, deps, source, email, input, actor.id);
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new ApiError(400, 'Invite email has already been taken') : error;
  }
}

async function insert(db: Db, deps: Deps, source: Source, email: string, input: MembershipInput, actorId: number) {
  const row = await db
    .insertInto('invitations')
    .values({
      source_type: source.kind,
      source_id: source.id,
      email,
      access_level: input.accessLevel,
      member_role_id: input.memberRoleId,
      expires_at: input.expiresAt,
      created_by_id: actorId,
      created_at: timestamp(deps.clock),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordInvitation(deps, db, 'invitation_created', row);
  const { id: invitation_id, source_type, source_id } = row;
  const owner = source_type === 'project' ? { projectId: source_id } : { groupId: source_id };
  const payload = { invitation_id, source_type, source_id };
  await deps.events.record(db, 'invitation.created', payload, { ...owner, actorId });
}

export interface InvitationChange {
  accessLevel?: number | undefined;
  expiresAt?: string | null | undefined;
  /** Kept when undefined, if the level is unchanged. */
  memberRoleId?: number | null | undefined;
}

/** Updates role or expiry of an invitation. @throws ApiError 400, 403 above one's own role, 404 */
export const updateInvitation = (
  deps: Deps,
  by: Change,
  email: string,
  change: InvitationChange,
): Promise<Invitation> => deps.db.transaction().execute((db) => changeInvitation(deps, db, by, email, change));

async function changeInvitation(
  deps: Deps,
  db: Db,
  by: Change,
  email: string,
  change: InvitationChange,
): Promise<Invitation> {
  const { source } = by;
  const own = await requireManager(deps, db, by);
  const old = await findInvitation({ ...deps, db }, source, email);
  const sameLevel = change.accessLevel === undefined || change.accessLevel === old.access_level;
  const input = {
    accessLevel: change.accessLevel ?? old.access_level,
    expiresAt: change.expiresAt === undefined ? old.expires_at : change.expiresAt,
    memberRoleId: change.memberRoleId === undefined ? (sameLevel ? old.member_role_id : null) : change.memberRoleId,
  };
  requireCover(own, source, await grantedBy(db, old));
  requireCover(own, source, await validateMembership(deps, db, source, ANYBODY, input));
  const updated = await db
    .updateTable('invitations')
    .set({ access_level: input.accessLevel, expires_at: input.expiresAt, member_role_id: input.memberRoleId })
    .where('id', '=', old.id)
    .returningAll()
    .executeTakeFirstOrThrow(recordNotFound);
  const same = (['access_level', 'expires_at', 'member_role_id'] as const).every((key) => updated[key] === old[key]);
  if (!same) await recordInvitation(deps, db, 'invitation_updated', updated, old);
  return updated;
}

/** Deletes an invitation. @throws ApiError 403 above one's own role, 404 */
export async function withdrawInvitation(deps: Deps, change: Change, email: string): Promise<void> {
  await deps.db.transaction().execute(async (db) => {
    const own = await requireManager(deps, db, change);
    const invitation = await findInvitation({ ...deps, db }, change.source, email);
    requireCover(own, change.source, await grantedBy(db, invitation));
    const { numDeletedRows } = await db.deleteFrom('invitations').where('id', '=', invitation.id).executeTakeFirst();
    if (numDeletedRows > 0n) await recordInvitation(deps, db, 'invitation_deleted', invitation);
  });
}
