import { Type } from 'typebox';
import { PACKAGE_STATUSES, PACKAGE_TYPES } from '../../../db/tables/packages.table.ts';
import { Enum, Instant, Nullable, propertiesOf } from '../../../http/http.schema.ts';
import { PipelineBasic } from '../../code/index.ts';
import { UserBasic } from '../../identity/index.ts';

/** A pipeline whose jobs published something, with whoever started it. */
export const PackagePipeline = Type.Object({ ...propertiesOf(PipelineBasic), user: Nullable(UserBasic) } as {
  user: ReturnType<typeof Nullable<typeof UserBasic>>;
} & typeof PipelineBasic.properties);

/** A name for a version. */
export const PackageTag = Type.Object({
  id: Type.Integer(),
  package_id: Type.Integer(),
  name: Type.String({ description: 'The tag itself.', examples: ['latest'] }),
  created_at: Instant(),
  updated_at: Instant(),
});

const shared = {
  id: Type.Integer(),
  name: Type.String({ description: 'Name of the package.', examples: ['my-app'] }),
  conan_package_name: Type.Optional(
    Type.String({ description: 'The name within the recipe; of Conan packages only.', examples: ['zlib'] }),
  ),
  version: Nullable(Type.String({ description: 'Its version; null for what is of none.', examples: ['1.0.0'] })),
  package_type: Enum(PACKAGE_TYPES, { description: 'The registry that it came through.' }),
  status: Enum(PACKAGE_STATUSES, { description: 'What becomes of it: `hidden` is in no list, but can be downloaded.' }),
  _links: Type.Object({
    web_path: Type.Optional(
      Type.String({
        description: 'Path of its page; where its state is `default` or `deprecated`.',
        examples: ['/flight/tools/-/packages/4'],
      }),
    ),
    delete_api_path: Type.Optional(
      Type.String({
        description: 'Where it can be deleted; for those who may.',
        examples: ['https://git.example.com/api/v4/projects/7/packages/4'],
      }),
    ),
  }),
  created_at: Instant(),
  tags: Type.Array(PackageTag, { description: 'Names for this version.' }),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: Type.Array(PackagePipeline, {
    description:
      'Pipelines of its project that published it, the newest first: the last alone in lists, up to 20 of a single package. None where the caller may not see pipelines.',
  }),
};

/** A package of the list of a project. */
export const PackageListEntry = Type.Object(shared);

/** A package of the list of a group. */
export const GroupPackage = Type.Object({
  ...shared,
  project_id: Type.Integer(),
  project_path: Type.String({ description: 'Full path of its project.', examples: ['flight/tools'] }),
});

/** Another version of the same package. */
export const OtherVersion = Type.Object({
  id: Type.Integer(),
  version: Nullable(Type.String({ description: 'The version.', examples: ['0.9.0'] })),
  created_at: Instant(),
  tags: Type.Array(PackageTag, { description: 'Names for this version.' }),
  pipeline: Type.Optional(PackagePipeline),
  pipelines: Type.Array(PackagePipeline, { description: 'The last pipeline that published it.' }),
});

/** A package with all that is known of it. */
export const Package = Type.Object({
  ...shared,
  last_downloaded_at: Nullable(Instant({ description: 'When a file of it was last downloaded; null for never.' })),
  versions: Type.Array(OtherVersion, {
    description: 'Other versions of it that are in lists, at most the 1,000 that came last.',
  }),
});
