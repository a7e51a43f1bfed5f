import type { PackageType } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';
import { type LimitName, planLimits } from '../settings/settings.plan-limits.ts';

/** The limit of each kind of package that has one (part 2, section 2: plan limits). */
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

/** Bytes of a file of any other kind. */
export const MAX_ARCHIVE = 100 * 1024 * 1024;
/** What a limit of 0 comes to: more than any disk has, and so little that sums with it are exact. */
const NO_LIMIT = 2 ** 50;

/** Bytes that a file of such a package may have now. */
export async function maxFileBytes(deps: Pick<Deps, 'db' | 'recent'>, type: PackageType): Promise<number> {
  const name = LIMITS[type];
  if (name === undefined) return MAX_ARCHIVE;
  return (await planLimits(deps))[name] || NO_LIMIT;
}
