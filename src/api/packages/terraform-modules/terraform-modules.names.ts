import { ApiError } from '../../../core/core.errors.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import { compareSemVer, parseSemVer } from '../../../packages/semver.ts';

const PART = /^[-a-z0-9]{1,120}$/;

/** A module for a target system (its provider). */
export interface ModuleName {
  module_name: string;
  module_system: string;
}

/** Name of its packages. */
export const packageName = ({ module_name, module_system }: ModuleName): string => `${module_name}/${module_system}`;

/** File name of the archive of a version. */
export const archiveName = ({ module_name, module_system }: ModuleName, version: string): string =>
  `${module_name}-${module_system}-${version}.tgz`;

/** @throws ApiError 400, 422 for an invalid name or version */
export function checkModule(name: ModuleName, version: string): void {
  const invalid = (text: string, status: number) => new ApiError(status, `Validation failed: ${text}`);
  if (!PART.test(name.module_name) || !PART.test(name.module_system)) throw invalid('Name is invalid', 422);
  if (parseSemVer(version) === null) throw invalid('Version should follow SemVer: https://semver.org', 400);
}

/** Returns the highest version, preferring releases to pre-releases. */
export function newestOf(packages: readonly Package[]): Package | undefined {
  let newest: { row: Package; version: NonNullable<ReturnType<typeof parseSemVer>> } | undefined;
  for (const row of packages) {
    const version = parseSemVer(row.version ?? '');
    if (version === null) continue;
    const released = version.prerelease.length === 0;
    const order =
      newest === undefined
        ? 1
        : Number(released) - Number(newest.version.prerelease.length === 0) || compareSemVer(version, newest.version);
    if (order >= 0) newest = { row, version };
  }
  return newest?.row;
}
