import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: Nullable(Instant()),
  scopes: Type.Array(Type.String()),
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
};

export const DeployToken = Type.Object(fields);

export const DeployTokenWithSecret = Type.Object({
  ...fields,
  token: Type.String({ description: 'The token; only returned on creation.' }),
});
