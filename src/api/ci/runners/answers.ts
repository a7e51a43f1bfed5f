import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/schema.ts';

const tokenExpiresAt = Nullable(Instant({ description: 'When the token ends; null for never.' }));

/** A runner with its token, for the program that is to run as it. */
export const RunnerRegistration = Type.Object({
  id: Type.Integer(),
  token: Type.String({ description: 'Token of the runner.' }),
  token_expires_at: tokenExpiresAt,
});

/** A token in the place of another one. */
export const RenewedRunnerToken = Type.Object({
  token: Type.String({ description: 'The new token; the one before is no good any more.' }),
  token_expires_at: tokenExpiresAt,
});
