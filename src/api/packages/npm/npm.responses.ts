import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

const Ranges = (description: string) =>
  Type.Optional(Type.Unknown({ description, examples: [{ 'left-pad': '^1.3.0' }] }));
const Any = (description: string, example: unknown) =>
  Type.Optional(Type.Unknown({ description, examples: [example] }));

/** A version of a package, as npm needs it to install. */
export const NpmVersion = Type.Object({
  name: Type.String({ description: 'Name of the package, including its scope.', examples: ['@acme/app'] }),
  version: Type.String({ examples: ['1.0.0'] }),
  deprecated: Type.Optional(Type.String({ description: 'Deprecation message, which npm shows as a warning.' })),
  dist: Type.Object(
    {
      tarball: Type.String({ description: 'URL of the file, in the project of the version.' }),
      shasum: Nullable(Type.String({ description: 'SHA-1 of the file, 40 hexadecimal digits.' })),
      integrity: Type.Optional(
        Type.String({
          description: 'SHA-512 of the file, in the format of Subresource Integrity.',
          examples: ['sha512-…'],
        }),
      ),
    },
    { description: 'The file of the version.' },
  ),
  dependencies: Ranges('Dependencies: version ranges by name.'),
  optionalDependencies: Ranges('Optional dependencies.'),
  devDependencies: Ranges('Development dependencies.'),
  peerDependencies: Ranges('Peer dependencies.'),
  peerDependenciesMeta: Any('Options of peer dependencies.', { react: { optional: true } }),
  bundleDependencies: Any('Bundled dependencies: names, or true for all.', ['left-pad']),
  acceptDependencies: Ranges('Alternative version ranges of dependencies.'),
  bin: Any('Executables by name.', { app: 'cli.js' }),
  directories: Any('Directories by purpose.', { man: './man' }),
  engines: Any('Supported versions of Node.js and npm.', { node: '>=20' }),
  os: Any('Supported operating systems.', ['linux']),
  cpu: Any('Supported processor architectures.', ['x64']),
  libc: Any('Supported C libraries.', ['glibc']),
  funding: Any('Funding information.', 'https://example.org/fund'),
  _hasShrinkwrap: Any('Whether the file contains a shrinkwrap.', false),
  hasInstallScript: Any('Whether the package has install scripts.', true),
});

export const NpmDistTags = Type.Record(Type.String(), Type.String(), {
  description: 'Versions by dist-tag.',
  examples: [{ latest: '1.0.0' }],
});

/** A package with all its versions, as npm requests it. */
export const NpmPackage = Type.Object({
  name: Type.String({ description: 'Name of the package, including its scope.', examples: ['@acme/app'] }),
  'dist-tags': NpmDistTags,
  versions: Type.Record(Type.String(), NpmVersion, { description: 'Versions by number.' }),
  modified: Instant({ description: 'When the package was last modified.' }),
  time: Type.Record(Type.String(), Instant(), {
    description: 'Publishing times by version, and `modified`.',
    examples: [{ modified: '2026-01-31T09:05:00.123Z', '1.0.0': '2026-01-31T09:05:00.123Z' }],
  }),
});

export const NpmPublished = Type.Object({
  ok: Type.Boolean({ description: 'Always true.', examples: [true] }),
  id: Type.String({ description: 'Name of the package.', examples: ['@acme/app'] }),
});

const Count = Type.Integer({ description: 'Always 0.', examples: [0] });

/** Result of an audit: always empty, since there are no advisories. */
export const NpmAudit = Type.Object({
  actions: Type.Array(Type.Object({}), { description: 'Always empty.', examples: [[]] }),
  advisories: Type.Object({}, { description: 'Always empty.', examples: [{}] }),
  muted: Type.Array(Type.Object({}), { description: 'Always empty.', examples: [[]] }),
  metadata: Type.Object(
    {
      vulnerabilities: Type.Object(
        { info: Count, low: Count, moderate: Count, high: Count, critical: Count },
        { description: 'Number of advisories by severity.' },
      ),
      dependencies: Count,
      devDependencies: Count,
      optionalDependencies: Count,
      totalDependencies: Count,
    },
    { description: 'Summary of the report.' },
  ),
});
export const EMPTY_AUDIT_REPORT = {
  actions: [],
  advisories: {},
  muted: [],
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0 },
    dependencies: 0,
    devDependencies: 0,
    optionalDependencies: 0,
    totalDependencies: 0,
  },
};

export const NpmUser = Type.Object({
  username: Type.String({ description: 'Name of the user or deploy token.', examples: ['ada'] }),
});

export const npmObjects = { NpmAudit, NpmDistTags, NpmPackage, NpmPublished, NpmUser, NpmVersion };
