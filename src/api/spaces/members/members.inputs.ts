import { Type } from 'typebox';
import { Day, Enum, Nullable, ofPlan, optional } from '../../../http/http.schema.ts';

export const userIdParam = Type.Object({ user_id: Type.Integer({ description: 'Id of the user.' }) });

const expiresAt = Nullable(Day({ description: 'Day on which the membership ends, YYYY-MM-DD.' }));

/** A custom role that is given with a membership. */
export const memberRoleId = Nullable(
  Type.Integer({ description: 'Custom role of that base level.', ...ofPlan('ultimate') }),
);

export const newMember = Type.Object({
  access_level: Type.Integer({ description: 'Level of the role.' }),
  ...optional({
    user_id: Type.String({ pattern: '^\\s*\\d+(\\s*,\\s*\\d+)*\\s*$', description: 'Id, or several with commas.' }),
    username: Type.String({ minLength: 1, description: 'User name, or several with commas.' }),
    expires_at: expiresAt,
    member_role_id: memberRoleId,
    invite_source: Type.String({ description: 'What made the client add the member; not kept.' }),
  }).properties,
});

/** What adding several members at once answers: those that could not be added stand in `message` by user name. */
export const Added = Type.Object({
  status: Enum(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export const memberChange = Type.Object({
  access_level: Type.Integer({ description: 'Level of the role.' }),
  expires_at: Type.Optional(expiresAt),
  member_role_id: Type.Optional(memberRoleId),
});

export const memberRemoval = optional({
  skip_subresources: Type.Boolean({ default: false, description: 'Stay a member of subgroups and projects below.' }),
  unassign_issuables: Type.Boolean({ default: false, description: 'Unassign from issues and merge requests.' }),
});
