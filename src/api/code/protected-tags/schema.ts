import { type Static, Type } from 'typebox';
import { IntegerEnum } from '../../../http/schema.ts';
import { AccessLevel, allowedList, deployKey, ProtectedName, ROLES } from '../protected-refs/schema.ts';

/** Protected tag (silent in the specification). */
export const ProtectedTag = Type.Object({
  name: Type.String(),
  create_access_levels: Type.Array(AccessLevel),
});
export type ProtectedTagJson = Static<typeof ProtectedTag>;

export const TagPattern = { name: Type.String({ description: 'URL-encoded name or pattern.' }) };

export const CreateProtectedTag = Type.Object({
  name: ProtectedName,
  create_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  allowed_to_create: allowedList(ROLES, deployKey),
});
export type CreateProtectedTagInput = Static<typeof CreateProtectedTag>;
