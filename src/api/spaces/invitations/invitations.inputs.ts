import { Type } from 'typebox';
import { Day, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { memberRoleId } from '../members/members.inputs.ts';

const expiresAt = Nullable(Day({ description: 'Date on which the membership expires, YYYY-MM-DD.' }));

export const newInvitation = Type.Object({
  access_level: Type.Integer({ description: 'Access level: 10, 15, 20, 30, 40 or 50, for groups also 5.' }),
  ...optional({
    email: List(Type.String(), { minItems: 1, description: 'Email addresses to invite.' }),
    user_id: Type.Union([List(Type.Integer(), { minItems: 1 }), Type.Integer()], {
      description: 'Ids of users to add.',
    }),
    expires_at: expiresAt,
    member_role_id: memberRoleId,
    invite_source: Type.String({ description: 'Source of the invitation; ignored.' }),
  }).properties,
});

export const listInvitations = Type.Object({
  query: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'Only invitations whose email address contains this text.' }),
  ),
  ...pagination,
});

export const invitedEmail = Type.Object({ email: Type.String({ description: 'Invited email address.' }) });

export const changedInvitation = optional({
  access_level: Type.Integer({ description: 'New access level.' }),
  expires_at: expiresAt,
  member_role_id: memberRoleId,
});
