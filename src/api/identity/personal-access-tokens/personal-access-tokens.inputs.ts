import { Type } from 'typebox';
import { PERSONAL_SCOPES, SELF_SERVICE_SCOPES } from '../../../access/token-scopes.ts';
import { Day, Enum, Filled, List, Nullable } from '../../../http/http.schema.ts';

export const tokenId = Type.Object({ id: Type.Integer({ description: 'Id of the token.' }) });

const description = Type.Optional(Nullable(Type.String({ maxLength: 255 })));

const expiresAt = Type.Optional(
  Nullable(Day({ description: 'Day the token expires on, at most 365 days from now (the default).' })),
);

export const rotation = Type.Object({
  expires_at: Type.Optional(
    Nullable(Day({ description: 'Day the new token expires on; a week from now by default.' })),
  ),
});

/** A token that an administrator makes for a user. */
export const newToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(PERSONAL_SCOPES)),
  description,
  expires_at: expiresAt,
});

/** A token that a user makes with a token of their own. */
export const newOwnToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(SELF_SERVICE_SCOPES)),
  description,
  expires_at: Type.Optional(Nullable(Day({ description: 'Day the token expires on; tomorrow by default.' }))),
});
