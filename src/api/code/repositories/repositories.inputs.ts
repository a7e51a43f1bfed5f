import { Type } from 'typebox';

/** Branch, tag or commit of a route that takes the default branch without one. */
export const OptionalRef = {
  ref: Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch when absent.' })),
};
