import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { UserBasic } from '../../identity/index.ts';

/** A token by which pipelines are started from outside. */
export const Trigger = Type.Object({
  id: Type.Integer(),
  token: Type.String({ description: 'The token for its owner; for others its first four characters.' }),
  description: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
  last_used: Nullable(Instant()),
  expires_at: Nullable(Instant()),
  owner: UserBasic,
});
