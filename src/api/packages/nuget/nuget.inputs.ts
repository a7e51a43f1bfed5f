import { Type } from 'typebox';

/** Name of a package in a path. */
export const NamedPackage = {
  package_name: Type.String({
    description: 'Name of the package, case-insensitive.',
    examples: ['Flight.Plans'],
  }),
};

const PackageVersion = {
  package_version: Type.String({ description: 'Version, normalized or not.', examples: ['1.3.0'] }),
};

export const OneVersion = Type.Object({ ...NamedPackage, ...PackageVersion });

/** File of a version in a path. */
export const VersionFile = Type.Object({
  ...NamedPackage,
  ...PackageVersion,
  package_filename: Type.String({
    description: 'File name: name and version of the package, followed by `.nupkg`, or `.snupkg` for symbols.',
    examples: ['flight.plans.1.3.0.nupkg'],
  }),
});

export const SearchInput = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 255, description: 'Text that the package name must contain.', examples: ['flight'] }),
  ),
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Number of packages to skip.' }),
  ),
  take: Type.Optional(
    Type.Integer({ minimum: 1, default: 20, description: 'Number of packages to return; at most 30.' }),
  ),
  prerelease: Type.Optional(Type.Boolean({ default: true, description: 'Whether to include pre-release versions.' })),
});
