import { Type } from 'typebox';
import { Enum, List, Nullable, pagination } from '../../../http/http.schema.ts';
import { UserBasic, userBasicFields } from '../../identity/index.ts';
import { MemberRoleEntity } from '../member-roles/member-roles.responses.ts';

export const Member = Type.Object({
  ...userBasicFields,
  access_level: Type.Integer({ description: 'Access level: 5, 10, 15, 20, 30, 40 or 50.' }),
  created_at: Type.String(),
  created_by: Type.Optional(UserBasic),
  expires_at: Nullable(Type.String()),
  member_role: Type.Optional(MemberRoleEntity),
  membership_state: Enum(['active', 'awaiting']),
  group_saml_identity: Type.Null(),
  email: Type.Optional(Type.String({ description: 'Only for administrators.' })),
  is_using_seat: Type.Optional(Type.Boolean({ description: 'Only with `show_seat_info`.' })),
});

const listFilters = {
  query: Type.Optional(
    Type.String({ description: 'Part of the name or user name, or the complete public email address.' }),
  ),
  user_ids: Type.Optional(List(Type.Integer(), { description: 'Only these users.' })),
  show_seat_info: Type.Optional(
    Type.Boolean({ default: false, description: 'Include whether each member uses a seat.' }),
  ),
  ...pagination,
};

export const memberList = Type.Object({
  ...listFilters,
  skip_users: Type.Optional(List(Type.Integer(), { description: 'Ids of users to leave out.' })),
  with_saml_identity: Type.Optional(Type.Boolean({ description: 'Only members with a SAML identity; always none.' })),
});

export const allMemberList = Type.Object({
  ...listFilters,
  state: Type.Optional(Enum(['awaiting', 'active'], { description: 'State of the membership.' })),
});
