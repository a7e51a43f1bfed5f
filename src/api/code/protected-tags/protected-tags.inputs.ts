import { type Static, Type } from 'typebox';
import { IntegerEnum } from '../../../http/http.schema.ts';
import { allowedList, deployKey, ProtectedName, ROLES } from '../protected-refs/protected-refs.inputs.ts';
import type { ProtectedTag } from './protected-tags.responses.ts';

export type ProtectedTagJson = Static<typeof ProtectedTag>;

export const TagPattern = { name: Type.String({ description: 'URL-encoded name or wildcard.' }) };

export const CreateProtectedTag = Type.Object({
  name: ProtectedName,
  create_access_level: Type.Optional(IntegerEnum(ROLES, { description: 'Default 40.' })),
  allowed_to_create: allowedList(ROLES, deployKey),
});

export type CreateProtectedTagInput = Static<typeof CreateProtectedTag>;
