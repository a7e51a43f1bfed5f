import { Type } from 'typebox';
import { Dialectal } from '../../../http/dialect.ts';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';

/** A pending invitation. */
export const InvitationEntity = Type.Object({
  id: Type.Integer(),
  invite_email: Type.String(),
  access_level: Type.Integer({ description: 'Access level.' }),
  created_at: Instant(),
  expires_at: Dialectal<string | null>(
    'invitation_expires_at',
    Nullable(Day({ description: 'Date on which the membership will expire.' })),
  ),
  user_name: Nullable(Type.String({ description: 'Always null: no user has the address yet.' })),
  created_by_name: Nullable(Type.String({ description: 'User who sent the invitation; null if deleted.' })),
});

/** Result of inviting: `message` contains failures by address, user name or id. */
export const Invited = Type.Object({
  status: Enum(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});
