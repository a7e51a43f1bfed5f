import { type Static, Type } from 'typebox';
import { Day, Enum, Filled, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { PERSONAL_SCOPES, tokenFilters } from '../../identity/index.ts';

const attributes = {
  name: Type.String({ maxLength: 255, description: 'Display name; "Service account user" when absent.' }),
  username: Type.String({ description: 'User name; generated when absent.' }),
  email: Type.String({ description: 'Email address; a generated no-reply address when absent.' }),
};

export const newServiceAccount = optional(attributes);

export const changedServiceAccount = optional(attributes);

export type Attributes = Static<typeof newServiceAccount>;

export const listServiceAccounts = Type.Object({
  order_by: Type.Optional(Enum(['id', 'username'], { default: 'id' })),
  sort: Type.Optional(Enum(['asc', 'desc'], { default: 'desc' })),
  ...pagination,
});

export const accountId = Type.Object({ user_id: Type.Integer({ description: 'Id of the service account.' }) });

export const deletion = optional({
  hard_delete: Type.Boolean({ description: 'Delete the contributions of the service account as well.' }),
});

export const listTokens = Type.Object({ ...optional(tokenFilters).properties, ...pagination });

export const tokenId = Type.Object({
  ...accountId.properties,
  token_id: Type.Integer({ description: 'Id of the token.' }),
});

export const newAccountToken = Type.Object({
  name: Filled({ maxLength: 255 }),
  scopes: List(Enum(PERSONAL_SCOPES)),
  description: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
  expires_at: Type.Optional(
    Nullable(Day({ description: 'Expiration date; at most 365 days from now, which is the default.' })),
  ),
});
