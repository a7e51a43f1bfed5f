import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** A trigger token. */
export const Trigger = Type.Object({
  id: Type.Integer(),
  token: Type.String({ description: 'The full token for its owner; the first four characters for others.' }),
  description: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  last_used: Nullable(Instant()),
  expires_at: Nullable(Instant()),
  owner: UserBasic,
});
