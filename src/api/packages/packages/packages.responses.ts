import { type TProperties, Type } from 'typebox';
import { PACKAGE_STATUSES } from '../../../db/tables/packages.table.ts';
import { Enum, Instant, Nullable, propertiesOf } from '../../../http/http.schema.ts';
import { PipelineBasic } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';
import { PACKAGE_TYPES, packageKinds } from '../package-kinds.ts';

/** A pipeline that published a package, with its user. */
export const PackagePipeline = Type.Object({ ...propertiesOf(PipelineBasic), user: Nullable(UserBasic) } as {
  user: ReturnType<typeof Nullable<typeof UserBasic>>;
} & typeof PipelineBasic.properties);

/** A tag of a version. */
export const PackageTag = Type.Object({
  id: Type.Integer(),
  package_id: Type.Integer(),
  name: Type.String({ description: 'Name of the tag.', examples: ['latest'] }),
  created_at: Instant(),
  updated_at: Instant(),
});

const attributesOfKinds: TProperties = Object.assign(
  {},
  ...[...packageKinds.values()].map(({ attributes }) => attributes?.schema),
);

const shared = {
  id: Type.Integer(),
  name: Type.String({ description: 'Name of the package.', examples: ['my-app'] }),
  ...attributesOfKinds,
  version: Nullable(
    Type.String({ description: 'Version of the package; null for packages without one.', examples: ['1.0.0'] }),
  ),
  package_type: Enum(PACKAGE_TYPES, { description: 'Type of the package.' }),
  status: Enum(PACKAGE_STATUSES, { description: 'Status; a `hidden` package is not listed, but can be downloaded.' }),
  _links: Type.Object({
    web_path: Type.Optional(
      Type.String({
        description: 'Path of its page; only with the status `default` or `deprecated`.',
        examples: ['/flight/tools/-/packages/4'],
      }),
    ),
    delete_api_path: Type.Optional(
      Type.String({
        description: 'API URL for deletion; only for callers who may delete it.',
        examples: ['https://git.example.com/api/v4/projects/7/packages/4'],
      }),
    ),
  }),
  created_at: Instant(),
  tags: Type.Array(PackageTag, { description: 'Tags of this version.' }),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: Type.Array(PackagePipeline, {
    description:
      'Pipelines that published the package, newest first: only the last in lists, up to 20 for a single package. Empty if the caller may not see pipelines.',
  }),
};

/** A package in the list of a project. */
export const PackageListEntry = Type.Object(shared);

/** A package in the list of a group. */
export const GroupPackage = Type.Object({
  ...shared,
  project_id: Type.Integer(),
  project_path: Type.String({ description: 'Full path of the project.', examples: ['flight/tools'] }),
});

/** Another version of the same package. */
export const OtherVersion = Type.Object({
  id: Type.Integer(),
  version: Nullable(Type.String({ description: 'Version of the package.', examples: ['0.9.0'] })),
  created_at: Instant(),
  tags: Type.Array(PackageTag, { description: 'Tags of this version.' }),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: Type.Array(PackagePipeline, { description: 'Last pipeline that published it.' }),
});

/** A package with all details. */
export const Package = Type.Object({
  ...shared,
  last_downloaded_at: Nullable(Instant({ description: 'When a file was last downloaded; null for never.' })),
  versions: Type.Array(OtherVersion, {
    description: 'Other listed versions of the package, at most the latest 1,000.',
  }),
});
