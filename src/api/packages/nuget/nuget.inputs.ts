import { Type } from 'typebox';

/** A name in a path. */
export const NamedPackage = {
  package_name: Type.String({
    description: 'Name of the package, in small or capital letters.',
    examples: ['Flight.Plans'],
  }),
};

const PackageVersion = {
  package_version: Type.String({ description: 'The version, normalised or not.', examples: ['1.3.0'] }),
};

export const OneVersion = Type.Object({ ...NamedPackage, ...PackageVersion });

/** The file of a version. */
export const VersionFile = Type.Object({
  ...NamedPackage,
  ...PackageVersion,
  package_filename: Type.String({
    description: 'Name, version and `.nupkg`, or `.snupkg` for the symbols.',
    examples: ['flight.plans.1.3.0.nupkg'],
  }),
});

export const SearchInput = Type.Object({
  q: Type.Optional(Type.String({ maxLength: 255, description: 'Part of the name.', examples: ['flight'] })),
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Packages that are left out at first.' }),
  ),
  take: Type.Optional(
    Type.Integer({ minimum: 1, default: 20, description: 'Packages that are wanted; there are 30 at most.' }),
  ),
  prerelease: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether versions before a release are looked at.' }),
  ),
});
