import type { Selectable } from 'kysely';
import type { Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Minimum roles for publishing and deleting packages of certain names. */
export interface PackageProtectionRulesTable {
  id: Id;
  project_id: number;
  /** `*` matches any characters. */
  package_name_pattern: string;
  package_type: string;
  minimum_access_level_for_push: 'maintainer' | 'owner' | 'admin' | null;
  minimum_access_level_for_delete: 'owner' | 'admin' | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type PackageProtectionRule = Selectable<PackageProtectionRulesTable>;

export const packageProtectionRulesOwnership: Ownership<PackageProtectionRulesTable> = { plain: ['package_type'] };
