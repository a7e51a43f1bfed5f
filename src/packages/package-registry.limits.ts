import type { PackageType } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';
import { type LimitName, planLimits } from '../settings/settings.plan-limits.ts';

/** Plan limits of package kinds (part 2, section 2: plan limits). */
const LIMITS: Readonly<Partial<Record<PackageType, LimitName>>> = {
  conan: 'conan_max_file_size',
  generic: 'generic_packages_max_file_size',
  helm: 'helm_max_file_size',
  maven: 'maven_max_file_size',
  npm: 'npm_max_file_size',
  nuget: 'nuget_max_file_size',
  pypi: 'pypi_max_file_size',
  terraform_module: 'terraform_module_max_file_size',
};

/** Maximum file size of other kinds in bytes. */
export const MAX_ARCHIVE = 100 * 1024 * 1024;
/** Stands for a limit of 0: larger than any disk, and small enough for exact sums. */
const NO_LIMIT = 2 ** 50;

/** Current maximum file size of a kind in bytes. */
export async function maxFileBytes(deps: Pick<Deps, 'db' | 'recent'>, type: PackageType): Promise<number> {
  const name = LIMITS[type];
  if (name === undefined) return MAX_ARCHIVE;
  return (await planLimits(deps))[name] || NO_LIMIT;
}
