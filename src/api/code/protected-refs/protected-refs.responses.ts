import { Type } from 'typebox';
import { Nullable } from '../../../http/http.schema.ts';

/** Somebody who is let in (silent on the wire: `null` for what the level does not name). */
export const AccessLevel = Type.Object({
  id: Type.Integer(),
  access_level: Nullable(Type.Integer({ description: 'Role; null for a user or a group.' })),
  access_level_description: Type.String({ description: 'Role, or name of the user, group or deploy key.' }),
  user_id: Nullable(Type.Integer()),
  group_id: Nullable(Type.Integer()),
  deploy_key_id: Type.Optional(Nullable(Type.Integer({ description: 'Where deploy keys can be let in.' }))),
});
