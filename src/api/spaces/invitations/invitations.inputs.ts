import { Type } from 'typebox';
import { Day, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { memberRoleId } from '../members/members.inputs.ts';

const expiresAt = Nullable(Day({ description: 'Day on which the membership ends, YYYY-MM-DD.' }));

export const newInvitation = Type.Object({
  access_level: Type.Integer({ description: 'Level of the role: 10, 15, 20, 30, 40 or 50, in groups 5 too.' }),
  ...optional({
    email: List(Type.String(), { minItems: 1, description: 'Addresses to invite.' }),
    user_id: Type.Union([List(Type.Integer(), { minItems: 1 }), Type.Integer()], {
      description: 'Ids of users to add.',
    }),
    expires_at: expiresAt,
    member_role_id: memberRoleId,
    invite_source: Type.String({ description: 'What made the client invite; not kept.' }),
  }).properties,
});

export const listInvitations = Type.Object({
  query: Type.Optional(Type.String({ maxLength: 1_000, description: 'Part of the address.' })),
  ...pagination,
});

export const invitedEmail = Type.Object({ email: Type.String({ description: 'The address that was invited.' }) });

export const changedInvitation = optional({
  access_level: Type.Integer({ description: 'Level of the role.' }),
  expires_at: expiresAt,
  member_role_id: memberRoleId,
});
