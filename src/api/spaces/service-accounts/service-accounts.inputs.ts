import { type Static, Type } from 'typebox';
import { Day, Enum, Filled, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { PERSONAL_SCOPES, tokenFilters } from '../../identity/index.ts';

const attributes = {
  name: Type.String({ maxLength: 255, description: 'Name to show; "Service account user" by default.' }),
  username: Type.String({ description: 'User name; one that nobody has by default.' }),
  email: Type.String({ description: 'Address; one that no mail goes to by default.' }),
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
  hard_delete: Type.Boolean({ description: 'Delete what the account made, too.' }),
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
    Nullable(Day({ description: 'Day the token expires on, at most 365 days from now (the default).' })),
  ),
});
