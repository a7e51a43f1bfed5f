import { Type } from 'typebox';
import { PERSONAL_SCOPES, SELF_SERVICE_SCOPES } from '../../../access/token-scopes.ts';
import { Day, Enum, Filled, List, Nullable } from '../../../http/http.schema.ts';

export const tokenId = Type.Object({ id: Type.Integer({ description: 'Id of the token.' }) });

const description = Type.Optional(Nullable(Type.String({ maxLength: 255 })));

const expiresAt = Type.Optional(
  Nullable(Day({ description: 'Expiration date; at most 365 days from now, which is the default.' })),
);

export const rotation = Type.Object({
  expires_at: Type.Optional(Nullable(Day({ description: 'Expiration date of the new token; in a week when absent.' }))),
});

/** Input of administrators for a token of another user. */
export const newToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(PERSONAL_SCOPES)),
  description,
  expires_at: expiresAt,
});

/** Input of users for a token of their own. */
export const newOwnToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(SELF_SERVICE_SCOPES)),
  description,
  expires_at: Type.Optional(Nullable(Day({ description: 'Expiration date; tomorrow when absent.' }))),
});
