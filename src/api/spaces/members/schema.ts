import { Type } from 'typebox';
import { Day, Enum, List, Nullable, optional, pagination } from '../../../http/schema.ts';
import { UserBasic, userBasicFields } from '../../identity/index.ts';

export const userIdParam = Type.Object({ user_id: Type.Integer({ description: 'Id of the user.' }) });

export const Member = Type.Object({
  ...userBasicFields,
  access_level: Type.Integer({ description: 'Level of the role: 5, 10, 15, 20, 30, 40 or 50.' }),
  created_at: Type.String(),
  created_by: Type.Optional(UserBasic),
  expires_at: Nullable(Type.String()),
  membership_state: Enum(['active', 'awaiting']),
  group_saml_identity: Type.Null(),
  email: Type.Optional(Type.String({ description: 'For administrators.' })),
  is_using_seat: Type.Optional(Type.Boolean({ description: 'With `show_seat_info`.' })),
});

const listFilters = {
  query: Type.Optional(Type.String({ description: 'Part of the name or user name, or the whole public address.' })),
  user_ids: Type.Optional(List(Type.Integer(), { description: 'Only these users.' })),
  show_seat_info: Type.Optional(Type.Boolean({ default: false, description: 'Tell whether each uses a seat.' })),
  ...pagination,
};

export const memberList = Type.Object({
  ...listFilters,
  skip_users: Type.Optional(List(Type.Integer(), { description: 'Not these users.' })),
  with_saml_identity: Type.Optional(Type.Boolean({ description: 'Only members with a SAML identity; none has one.' })),
});

export const allMemberList = Type.Object({
  ...listFilters,
  state: Type.Optional(Enum(['awaiting', 'active'], { description: 'State of the membership.' })),
});

const expiresAt = Nullable(Day({ description: 'Day on which the membership ends, YYYY-MM-DD.' }));
const memberRoleId = Nullable(Type.Integer({ description: 'Custom role of that base level.' }));

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
