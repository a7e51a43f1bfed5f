import type { PackageType } from '../db/tables/packages.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Bytes that a file of a package may have (part 2, section 2: plan limits). */
const MAX_FILE_BYTES: Readonly<Record<PackageType, number>> = {
  composer: 100 * MIB,
  conan: 3 * GIB,
  generic: 5 * GIB,
  golang: 100 * MIB,
  helm: 5 * MIB,
  maven: 3 * GIB,
  npm: 500 * MIB,
  nuget: 500 * MIB,
  pypi: 3 * GIB,
  terraform_module: GIB,
};

/** Bytes that a file of such a package may have. */
export const maxFileBytes = (type: PackageType): number => MAX_FILE_BYTES[type];
