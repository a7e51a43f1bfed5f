import { Type } from 'typebox';
import type { PackageProtectionRule as Row } from '../../../db/tables/package-protection-rules.table.ts';
import { attributes } from './protection-rules.inputs.ts';

/** Minimum roles for packages with matching names. */
export const PackageProtectionRule = Type.Object({
  id: Type.Integer(),
  project_id: Type.Integer(),
  ...attributes,
});

export const presentRule = (row: Row) => ({
  id: row.id,
  project_id: row.project_id,
  package_name_pattern: row.package_name_pattern,
  package_type: row.package_type,
  minimum_access_level_for_delete: row.minimum_access_level_for_delete,
  minimum_access_level_for_push: row.minimum_access_level_for_push,
});
