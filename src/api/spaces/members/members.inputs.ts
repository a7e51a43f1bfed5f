import { Type } from 'typebox';
import { Day, Enum, Nullable, ofPlan, optional } from '../../../http/http.schema.ts';

export const userIdParam = Type.Object({ user_id: Type.Integer({ description: 'Id of the user.' }) });

const expiresAt = Nullable(Day({ description: 'Date on which the membership expires, YYYY-MM-DD.' }));

/** Custom role of a membership. */
export const memberRoleId = Nullable(
  Type.Integer({ description: 'Id of a custom role with that base access level.', ...ofPlan('ultimate') }),
);

export const newMember = Type.Object({
  access_level: Type.Integer({ description: 'Access level.' }),
  ...optional({
    user_id: Type.String({
      pattern: '^\\s*\\d+(\\s*,\\s*\\d+)*\\s*$',
      description: 'Id of the user, or several ids separated by commas.',
    }),
    username: Type.String({ minLength: 1, description: 'User name, or several separated by commas.' }),
    expires_at: expiresAt,
    member_role_id: memberRoleId,
    invite_source: Type.String({ description: 'Source of the invitation; ignored.' }),
  }).properties,
});

/** Result of adding several members: `message` contains failures by user name. */
export const AddMembersResult = Type.Object({
  status: Enum(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const memberChange = Type.Object({
  access_level: Type.Integer({ description: 'Access level.' }),
  expires_at: Type.Optional(expiresAt),
  member_role_id: Type.Optional(memberRoleId),
});

export const memberRemoval = optional({
  skip_subresources: Type.Boolean({ default: false, description: 'Keep memberships in subgroups and projects.' }),
  unassign_issuables: Type.Boolean({
    default: false,
    description: 'Unassign the user from issues and merge requests.',
  }),
});
