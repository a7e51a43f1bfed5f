import { Type } from 'typebox';

/** Branch, tag or commit; the default branch when absent. */
export const OptionalRef = {
  ref: Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch when absent.' })),
};
