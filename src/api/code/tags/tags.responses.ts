import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';
import { Commit } from '../commits/commits.responses.ts';

/** Tag (silent in the specification). */
export const Tag = Type.Object({
  name: Type.String(),
  message: Nullable(Type.String({ description: 'Message of an annotated tag.' })),
  target: Type.String({ description: 'Id of the tag object for annotated tags, of the commit otherwise.' }),
  commit: Nullable(Commit),
  release: Nullable(Type.Object({ tag_name: Type.String(), description: Nullable(Type.String()) })),
  protected: Type.Boolean(),
  created_at: Nullable(Instant({ description: 'When an annotated tag was created.' })),
});
