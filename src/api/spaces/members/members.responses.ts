import { Type } from 'typebox';
import { Enum, List, Nullable, pagination } from '../../../http/http.schema.ts';
import { UserBasic, userBasicFields } from '../../identity/index.ts';
import { MemberRoleEntity } from '../member-roles/member-roles.responses.ts';

export const Member = Type.Object({
  ...userBasicFields,
  access_level: Type.Integer({ description: 'Level of the role: 5, 10, 15, 20, 30, 40 or 50.' }),
  created_at: Type.String(),
  created_by: Type.Optional(UserBasic),
  expires_at: Nullable(Type.String()),
  member_role: Type.Optional(MemberRoleEntity),
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
