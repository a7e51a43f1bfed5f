import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

const JsonId = (description: string) => Type.String({ description });
const Links = {
  projectUrl: Type.Optional(Type.String({ description: 'URL of the project page.' })),
  licenseUrl: Type.Optional(Type.String({ description: 'URL of the licence.' })),
  iconUrl: Type.Optional(Type.String({ description: 'URL of the icon.' })),
};
const About = {
  authors: Type.String({ description: 'Authors of the package.', examples: ['Ada Lovelace'] }),
  description: Type.String({ description: 'Description of the package.', examples: ['Plans flights.'] }),
  summary: Type.String({ description: 'Summary of the package.', examples: ['Flight plans'] }),
  tags: Type.String({ description: 'Space-separated tags.', examples: ['flight plan'] }),
  ...Links,
};

/** Services of a source, which NuGet requests first. */
export const ServiceIndex = Type.Object({
  version: Type.String({ description: 'Version of the protocol.', examples: ['3.0.0'] }),
  resources: Type.Array(
    Type.Object({
      '@id': JsonId('URL of the service.'),
      '@type': Type.String({ description: 'Type of the service.', examples: ['PackageBaseAddress/3.0.0'] }),
      comment: Type.String({ description: 'Description of the service.', examples: ['Search packages.'] }),
    }),
    { description: 'Services of the source.' },
  ),
});

const DependencyGroup = Type.Object({
  '@id': JsonId('Id of the dependency group.'),
  '@type': Type.Literal('PackageDependencyGroup', { description: 'Always `PackageDependencyGroup`.' }),
  targetFramework: Type.Optional(Type.String({ description: 'Target framework; all frameworks when absent.' })),
  dependencies: Type.Optional(
    Type.Array(
      Type.Object({
        '@id': JsonId('Id of the dependency.'),
        '@type': Type.Literal('PackageDependency', { description: 'Always `PackageDependency`.' }),
        id: Type.String({ description: 'Name of the required package.', examples: ['Newtonsoft.Json'] }),
        range: Type.String({ description: 'Accepted version range.', examples: ['13.0.1'] }),
      }),
      { description: 'Required packages.' },
    ),
  ),
});

/** A version of a package with its metadata. */
export const PackageMetadata = Type.Object({
  '@id': JsonId('URL of this object.'),
  packageContent: Type.String({ description: 'Download URL of the package.' }),
  catalogEntry: Type.Object(
    {
      '@id': JsonId('URL of this object.'),
      id: Type.String({ description: 'Name of the package.', examples: ['Flight.Plans'] }),
      version: Type.String({ description: 'Version of the package.', examples: ['1.3.0'] }),
      ...About,
      packageContent: Type.String({ description: 'Download URL of the package.' }),
      published: Instant({ description: 'When it was published.' }),
      dependencyGroups: Type.Array(DependencyGroup, { description: 'Dependencies of the package.' }),
    },
    { description: 'Metadata of the version.' },
  ),
});

/** All versions of a package. */
export const PackageRegistration = Type.Object({
  count: Type.Integer({ description: 'Number of pages: always 1.', examples: [1] }),
  items: Type.Array(
    Type.Object({
      '@id': JsonId('URL of this object.'),
      lower: Type.String({ description: 'Lowest version.', examples: ['1.0.0'] }),
      upper: Type.String({ description: 'Highest version.', examples: ['1.3.0'] }),
      count: Type.Integer({ description: 'Number of versions.' }),
      items: Type.Array(PackageMetadata, { description: 'Versions in ascending order.' }),
    }),
    { description: 'The only page.' },
  ),
});

/** Result of a search. */
export const SearchResults = Type.Object({
  totalHits: Type.Integer({ description: 'Number of matching packages; counted up to 10,000.' }),
  data: Type.Array(
    Type.Object({
      '@type': Type.Literal('Package', { description: 'Always `Package`.' }),
      id: Type.String({ description: 'Name of the package.', examples: ['Flight.Plans'] }),
      title: Type.String({ description: 'Display title.', examples: ['Flight plans'] }),
      version: Type.String({ description: 'Highest version.', examples: ['1.3.0'] }),
      versions: Type.Array(
        Type.Object({
          '@id': JsonId('URL of the version.'),
          version: Type.String({ description: 'Version number.', examples: ['1.3.0'] }),
          downloads: Type.Integer({ description: 'Always 0.', examples: [0] }),
        }),
        { description: 'The ten highest versions, in descending order.' },
      ),
      totalDownloads: Type.Integer({ description: 'Always 0.', examples: [0] }),
      verified: Type.Boolean({ description: 'Always true.', examples: [true] }),
      ...About,
    }),
    { description: 'Packages of the page.' },
  ),
});

/** Downloadable versions. */
export const PackageVersions = Type.Object({
  versions: Type.Array(Type.String(), {
    description: 'Normalized versions in ascending order.',
    examples: [['1.0.0', '1.3.0']],
  }),
});

export const nugetObjects = {
  NugetPackage: PackageRegistration,
  NugetSearchResults: SearchResults,
  NugetServiceIndex: ServiceIndex,
  NugetVersion: PackageMetadata,
  NugetVersions: PackageVersions,
};
