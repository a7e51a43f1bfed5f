import { Type } from 'typebox';
import { Instant, Nullable } from '../../../http/http.schema.ts';

const Ranges = (description: string) =>
  Type.Optional(Type.Unknown({ description, examples: [{ 'left-pad': '^1.3.0' }] }));
const Any = (description: string, example: unknown) =>
  Type.Optional(Type.Unknown({ description, examples: [example] }));

/** A version of a package, as npm installs it. */
export const NpmVersion = Type.Object({
  name: Type.String({ description: 'Name of the package, its scope included.', examples: ['@acme/app'] }),
  version: Type.String({ examples: ['1.0.0'] }),
  deprecated: Type.Optional(Type.String({ description: 'Why it should not be used any more; what npm warns with.' })),
  dist: Type.Object(
    {
      tarball: Type.String({ description: 'Address of the file, in the project that it was published to.' }),
      shasum: Nullable(Type.String({ description: 'SHA-1 of the file, 40 hexadecimal digits.' })),
      integrity: Type.Optional(
        Type.String({
          description: 'SHA-512 of the file, as Subresource Integrity writes it.',
          examples: ['sha512-…'],
        }),
      ),
    },
    { description: 'The file of the version.' },
  ),
  dependencies: Ranges('What it needs, by name, with ranges of versions.'),
  optionalDependencies: Ranges('What it can do without where that cannot be installed.'),
  devDependencies: Ranges('What working on it takes.'),
  peerDependencies: Ranges('What whoever uses it brings.'),
  peerDependenciesMeta: Any('Which of these are optional.', { react: { optional: true } }),
  bundleDependencies: Any('What its file holds of its dependencies: names, or true for all.', ['left-pad']),
  acceptDependencies: Ranges('Ranges that are as good as those of its dependencies.'),
  bin: Any('Programs in it, by name.', { app: 'cli.js' }),
  directories: Any('Folders in it, by what they hold.', { man: './man' }),
  engines: Any('Versions of Node.js and npm that it runs on.', { node: '>=20' }),
  os: Any('Operating systems that it is for.', ['linux']),
  cpu: Any('Processors that it is for.', ['x64']),
  libc: Any('C libraries that it is for.', ['glibc']),
  funding: Any('Where its authors can be supported.', 'https://example.org/fund'),
  _hasShrinkwrap: Any('Whether its file holds a shrinkwrap.', false),
  hasInstallScript: Any('Whether scripts of it run when it is installed.', true),
});

export const NpmDistTags = Type.Record(Type.String(), Type.String(), {
  description: 'Versions by the names of the tags that lead to them.',
  examples: [{ latest: '1.0.0' }],
});

/** A package with all of its versions, as npm asks for it. */
export const NpmPackage = Type.Object({
  name: Type.String({ description: 'Name of the package, its scope included.', examples: ['@acme/app'] }),
  'dist-tags': NpmDistTags,
  versions: Type.Record(Type.String(), NpmVersion, { description: 'Versions that can be installed.' }),
  modified: Instant({ description: 'When something of it changed.' }),
  time: Type.Record(Type.String(), Instant(), {
    description: 'When each version was published, and `modified`.',
    examples: [{ modified: '2026-01-31T09:05:00.123Z', '1.0.0': '2026-01-31T09:05:00.123Z' }],
  }),
});

export const NpmPublished = Type.Object({
  ok: Type.Boolean({ description: 'Always true.', examples: [true] }),
  id: Type.String({ description: 'Name of the package.', examples: ['@acme/app'] }),
});

const Count = Type.Integer({ description: 'Always 0.', examples: [0] });

/** What an audit finds: nothing, since no advisories are kept. */
export const NpmAudit = Type.Object({
  actions: Type.Array(Type.Object({}), { description: 'Always empty.', examples: [[]] }),
  advisories: Type.Object({}, { description: 'Always empty.', examples: [{}] }),
  muted: Type.Array(Type.Object({}), { description: 'Always empty.', examples: [[]] }),
  metadata: Type.Object(
    {
      vulnerabilities: Type.Object(
        { info: Count, low: Count, moderate: Count, high: Count, critical: Count },
        { description: 'How many there are of each severity.' },
      ),
      dependencies: Count,
      devDependencies: Count,
      optionalDependencies: Count,
      totalDependencies: Count,
    },
    { description: 'Sums of the report.' },
  ),
});
export const NOTHING_FOUND = {
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
  username: Type.String({ description: 'Name of the user, or of the deploy token.', examples: ['ada'] }),
});
