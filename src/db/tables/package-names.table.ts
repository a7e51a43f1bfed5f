import type { Id } from '../columns.ts';
import type { Ownership } from '../ownership.ts';
import type { PackageType } from './packages.table.ts';

/** Names of packages, each once in a project however many versions it has: what is searched by a part of a name. */
export interface PackageNamesTable {
  id: Id;
  project_id: number;
  package_type: PackageType;
  name_key: string;
  /** In small letters, as they are compared; a name that is spelled in several ways has a row for each. */
  name: string;
}

export const packageNamesOwnership: Ownership<PackageNamesTable> = { plain: ['package_type'] };
