import { Type } from 'typebox';
import { Dialectal } from '../../../http/dialect.ts';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** Somebody who was invited and is no member yet. */
export const InvitationEntity = Type.Object({
  id: Type.Integer(),
  invite_email: Type.String(),
  access_level: Type.Integer({ description: 'Level of the role.' }),
  created_at: Instant(),
  expires_at: Dialectal<string | null>(
    'invitation_expires_at',
    Nullable(Day({ description: 'Day on which the membership will end.' })),
  ),
  user_name: Nullable(Type.String({ description: 'Null: nobody has the address yet.' })),
  created_by_name: Nullable(Type.String({ description: 'Who invites; null once they are deleted.' })),
});

/** What became of the invitations: those that failed stand in `message` by address, user name or id. */
export const Invited = Type.Object({
  status: Enum(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});
