import { Type } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import type { Invitation } from '../../../db/tables/invitations.table.ts';
import type { Deps } from '../../../deps.ts';
import { inDialect } from '../../../http/dialect.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { usersById } from '../../identity/index.ts';
import { requireInvites } from '../members/invites.ts';
import { MANAGE_MEMBERS } from '../members/members.abilities.ts';
import { changeOf } from '../members/members.writes.ts';
import { inSource, type SourceKind } from '../spaces.source.ts';
import { changedInvitation, invitedEmail, listInvitations, newInvitation } from './invitations.inputs.ts';
import { InvitationEntity, Invited } from './invitations.responses.ts';
import { invitationsOf, invite, updateInvitation, withdrawInvitation } from './invitations.writes.ts';

async function present({ db, config }: Deps, rows: readonly Invitation[]) {
  const users = await usersById(db, pluck(rows, 'created_by_id'));
  return rows.map(({ id, email, access_level, created_at, expires_at, created_by_id }) => ({
    id,
    invite_email: email,
    access_level,
    created_at,
    expires_at: inDialect<string | null>(config.dialect, 'invitation_expires_at', expires_at),
    user_name: null,
    created_by_name: users.get(created_by_id ?? 0)?.name ?? null,
  }));
}

function routesOf(kind: SourceKind): Route[] {
  const path = `/${kind}s/:id/invitations`;
  const access = inSource(kind, MANAGE_MEMBERS);
  return [
    route({
      method: 'POST',
      path,
      summary: `Invite members to a ${kind}`,
      description:
        'Existing users are added immediately. Other addresses become members once a user confirms the address.',
      access,
      input: newInvitation,
      rules: { atLeastOne: [['email', 'user_id']] },
      success: { status: 201, schema: Invited },
      handler: async (c) => {
        requireInvites(c.deps, c.caller);
        const { email = [], user_id: ids = [] } = c.input;
        const who = { emails: email.map((each) => each.trim()), ids: [ids].flat() };
        const message = await invite(c.deps, changeOf(c), c.standing, who, {
          accessLevel: c.input.access_level,
          expiresAt: c.input.expires_at ?? null,
          memberRoleId: c.input.member_role_id ?? null,
        });
        return Object.keys(message).length === 0 ? { status: 'success' } : { status: 'error', message };
      },
    }),
    route({
      method: 'GET',
      path,
      summary: `List the pending invitations to a ${kind}`,
      access,
      input: listInvitations,
      success: { status: 200, schema: Type.Array(InvitationEntity) },
      handler: (c) => c.page(invitationsOf(c.deps, c.source, c.input.query), (rows) => present(c.deps, rows)),
    }),
    route({
      method: 'PUT',
      path: `${path}/:email`,
      summary: `Update an invitation to a ${kind}`,
      access,
      params: invitedEmail,
      input: changedInvitation,
      rules: { atLeastOne: [['access_level', 'expires_at', 'member_role_id']] },
      success: { status: 200, schema: InvitationEntity },
      handler: async (c) => {
        const updated = await updateInvitation(c.deps, changeOf(c), c.params.email, {
          accessLevel: c.input.access_level,
          expiresAt: c.isSent('expires_at') ? (c.input.expires_at ?? null) : undefined,
          memberRoleId: c.isSent('member_role_id') ? (c.input.member_role_id ?? null) : undefined,
        });
        return (await present(c.deps, [updated]))[0];
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:email`,
      summary: `Delete an invitation to a ${kind}`,
      access,
      params: invitedEmail,
      success: { status: 204, empty: true },
      handler: (c) => withdrawInvitation(c.deps, changeOf(c), c.params.email),
    }),
  ];
}

/** Invitations to projects and groups. */
export const invitationRoutes: readonly Route[] = [...routesOf('project'), ...routesOf('group')];
