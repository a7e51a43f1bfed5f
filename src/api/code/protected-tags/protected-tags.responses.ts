import { Type } from 'typebox';
import { AccessLevel } from '../protected-refs/protected-refs.responses.ts';

/** Protected tag (silent in the specification). */
export const ProtectedTag = Type.Object({
  name: Type.String(),
  create_access_levels: Type.Array(AccessLevel),
});
