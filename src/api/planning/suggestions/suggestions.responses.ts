import { type Static, Type } from 'typebox';

/** A change of lines that a comment suggests. */
export const Suggestion = Type.Object({
  id: Type.Integer(),
  from_line: Type.Integer(),
  to_line: Type.Integer(),
  appliable: Type.Boolean(),
  applied: Type.Boolean(),
  from_content: Type.String(),
  to_content: Type.String(),
});
export type Suggestion = Static<typeof Suggestion>;
