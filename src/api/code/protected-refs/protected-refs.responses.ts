import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** An access level (silent on the wire: `null` for the subjects that it does not name). */
export const AccessLevel = Type.Object({
  id: Type.Integer(),
  access_level: Nullable(Type.Integer({ description: 'Role; null for a user or a group.' })),
  access_level_description: Type.String({ description: 'Role, or name of the user, group or deploy key.' }),
  user_id: Nullable(Type.Integer()),
  group_id: Nullable(Type.Integer()),
  deploy_key_id: Type.Optional(
    Nullable(Type.Integer({ description: 'Id of the deploy key; only where deploy keys are allowed.' })),
  ),
});
