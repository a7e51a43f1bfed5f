import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { billableAmong } from '../../../licence/billable-users.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import type { MemberRoleEntity } from '../member-roles/member-roles.responses.ts';
import { rolesById } from '../member-roles/member-roles.views.ts';
import type { Member } from './members.responses.ts';
import type { Membership } from './memberships.ts';

export interface MemberView {
  /** Whether to include email addresses. */
  admin: boolean;
  seats?: boolean | undefined;
}

/** Renders memberships with a fixed number of queries. */
export async function presentMembers(
  deps: Deps,
  rows: readonly Membership[],
  view: MemberView,
  db: Db = deps.db,
): Promise<Static<typeof Member>[]> {
  const users = await usersById(
    db,
    rows.flatMap(({ user_id, created_by_id }) => [user_id, created_by_id]),
  );
  const roles = await rolesById(db, pluck(rows, 'member_role_id'));
  const seats = view.seats ? await billableAmong(deps, pluck(rows, 'user_id')) : null;
  return rows.flatMap((row) => {
    const user = users.get(row.user_id);
    // Deleted between the two queries.
    if (user === undefined) return [];
    const creator = row.created_by_id === null ? undefined : users.get(row.created_by_id);
    const role = roles.get(row.member_role_id ?? 0) ?? null;
    return [presentMember(deps, row, { user, creator, role }, view, seats)];
  });
}

function presentMember(
  deps: Deps,
  row: Membership,
  { user, creator, role }: { user: User; creator: User | undefined; role: Static<typeof MemberRoleEntity> | null },
  view: MemberView,
  seats: ReadonlySet<number> | null,
): Static<typeof Member> {
  return {
    ...userBasic(deps, user),
    access_level: row.access_level,
    created_at: row.created_at,
    ...(creator === undefined ? {} : { created_by: userBasic(deps, creator) }),
    expires_at: row.expires_at,
    ...(role === null ? {} : { member_role: role }),
    membership_state: row.state,
    group_saml_identity: null,
    ...(view.admin ? { email: user.email } : {}),
    ...(seats === null ? {} : { is_using_seat: seats.has(user.id) }),
  };
}
