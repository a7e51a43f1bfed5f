import { Type } from 'typebox';
import type { PackageProtectionRule as Row } from '../../../db/tables/package-protection-rules.table.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { PROTECTED_TYPES } from '../package-kinds.ts';
import { DELETE_LEVELS, PUSH_LEVELS } from './protection-rules.inputs.ts';

/** Minimum roles for packages with matching names. */
export const PackageProtectionRule = Type.Object({
  id: Type.Integer(),
  project_id: Type.Integer(),
  package_name_pattern: Type.String({
    description: 'Package name pattern, case-insensitive; `*` stands for any text.',
    examples: ['@flight/*'],
  }),
  package_type: Enum(PROTECTED_TYPES, { description: 'Type of the packages.' }),
  minimum_access_level_for_delete: Nullable(
    Enum(DELETE_LEVELS, { description: 'Minimum role for deleting packages; null for the default.' }),
  ),
  minimum_access_level_for_push: Nullable(
    Enum(PUSH_LEVELS, { description: 'Minimum role for publishing packages; null for the default.' }),
  ),
});

export const presentRule = (row: Row) => ({
  id: row.id,
  project_id: row.project_id,
  package_name_pattern: row.package_name_pattern,
  package_type: row.package_type,
  minimum_access_level_for_delete: row.minimum_access_level_for_delete,
  minimum_access_level_for_push: row.minimum_access_level_for_push,
});
