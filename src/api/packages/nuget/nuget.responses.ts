import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

const JsonId = (description: string) => Type.String({ description });
const Links = {
  projectUrl: Type.Optional(Type.String({ description: 'Page of the project.' })),
  licenseUrl: Type.Optional(Type.String({ description: 'Where the licence is.' })),
  iconUrl: Type.Optional(Type.String({ description: 'Picture of the package.' })),
};
const About = {
  authors: Type.String({ description: 'Who wrote it.', examples: ['Ada Lovelace'] }),
  description: Type.String({ description: 'What it is.', examples: ['Plans flights.'] }),
  summary: Type.String({ description: 'The same in short.', examples: ['Flight plans'] }),
  tags: Type.String({ description: 'Words that it is found by, with spaces between them.', examples: ['flight plan'] }),
  ...Links,
};

/** What there is at a source, as NuGet asks first. */
export const ServiceIndex = Type.Object({
  version: Type.String({ description: 'Of the protocol.', examples: ['3.0.0'] }),
  resources: Type.Array(
    Type.Object({
      '@id': JsonId('Address of the service.'),
      '@type': Type.String({ description: 'What the service is.', examples: ['PackageBaseAddress/3.0.0'] }),
      comment: Type.String({ description: 'The same in words.', examples: ['Search packages.'] }),
    }),
    { description: 'The services.' },
  ),
});

const DependencyGroup = Type.Object({
  '@id': JsonId('Identifies the group.'),
  '@type': Type.Literal('PackageDependencyGroup', { description: 'Always `PackageDependencyGroup`.' }),
  targetFramework: Type.Optional(Type.String({ description: 'For which framework; for all when absent.' })),
  dependencies: Type.Optional(
    Type.Array(
      Type.Object({
        '@id': JsonId('Identifies the dependency.'),
        '@type': Type.Literal('PackageDependency', { description: 'Always `PackageDependency`.' }),
        id: Type.String({ description: 'Name of the package that is needed.', examples: ['Newtonsoft.Json'] }),
        range: Type.String({ description: 'Versions that will do.', examples: ['13.0.1'] }),
      }),
      { description: 'What is needed.' },
    ),
  ),
});

/** A version of a package with what it says of itself. */
export const PackageMetadata = Type.Object({
  '@id': JsonId('Address of this object.'),
  packageContent: Type.String({ description: 'Where its file is.' }),
  catalogEntry: Type.Object(
    {
      '@id': JsonId('Address of this object.'),
      id: Type.String({ description: 'Name of the package.', examples: ['Flight.Plans'] }),
      version: Type.String({ description: 'The version.', examples: ['1.3.0'] }),
      ...About,
      packageContent: Type.String({ description: 'Where its file is.' }),
      published: Instant({ description: 'When it was pushed.' }),
      dependencyGroups: Type.Array(DependencyGroup, { description: 'What it needs.' }),
    },
    { description: 'What it says of itself.' },
  ),
});

/** All versions of a package. */
export const PackageRegistration = Type.Object({
  count: Type.Integer({ description: 'Pages: always 1.', examples: [1] }),
  items: Type.Array(
    Type.Object({
      '@id': JsonId('Address of this object.'),
      lower: Type.String({ description: 'The lowest version.', examples: ['1.0.0'] }),
      upper: Type.String({ description: 'The highest version.', examples: ['1.3.0'] }),
      count: Type.Integer({ description: 'How many versions there are.' }),
      items: Type.Array(PackageMetadata, { description: 'The versions, the lowest first.' }),
    }),
    { description: 'The one page.' },
  ),
});

/** Packages that a search found. */
export const SearchResults = Type.Object({
  totalHits: Type.Integer({ description: 'How many packages fit; more than 10,000 are not counted.' }),
  data: Type.Array(
    Type.Object({
      '@type': Type.Literal('Package', { description: 'Always `Package`.' }),
      id: Type.String({ description: 'Name of the package.', examples: ['Flight.Plans'] }),
      title: Type.String({ description: 'How it is shown.', examples: ['Flight plans'] }),
      version: Type.String({ description: 'The highest version.', examples: ['1.3.0'] }),
      versions: Type.Array(
        Type.Object({
          '@id': JsonId('Address of the version.'),
          version: Type.String({ description: 'The version.', examples: ['1.3.0'] }),
          downloads: Type.Integer({ description: 'Always 0.', examples: [0] }),
        }),
        { description: 'The ten highest versions, the highest first.' },
      ),
      totalDownloads: Type.Integer({ description: 'Always 0.', examples: [0] }),
      verified: Type.Boolean({ description: 'Always true.', examples: [true] }),
      ...About,
    }),
    { description: 'The page of them.' },
  ),
});

/** Versions that can be downloaded. */
export const PackageVersions = Type.Object({
  versions: Type.Array(Type.String(), { description: 'Normalised, the lowest first.', examples: [['1.0.0', '1.3.0']] }),
});
