import { type Static, Type } from 'typebox';
import { Filled, Secret, Upload } from '../../../http/http.schema.ts';
import { CreateProject } from '../../spaces/index.ts';

/** What the place of a project says and not its attributes, and what would bring its content from elsewhere. */
const NOT_OVERRIDDEN = [
  'name',
  'path',
  'namespace_id',
  'avatar',
  'initialize_with_readme',
  'template_name',
  'repository_storage',
  'repository_object_format',
  'import_url',
  'mirror',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
  'mirror_branch_regex',
] as const;

const OverrideParams = Type.Omit(CreateProject, [...NOT_OVERRIDDEN]);
export type OverrideParams = Static<typeof OverrideParams>;

const shared = {
  path: Filled({ maxLength: 255, description: 'Last part of the path of the new project.' }),
  name: Type.Optional(Filled({ maxLength: 255, description: 'Its name; the path when absent.' })),
  namespace: Type.Optional(
    Filled({ description: 'Id or path of the namespace that it is put into; the own when absent.' }),
  ),
  namespace_id: Type.Optional(Type.Integer({ description: 'Id of the namespace that it is put into.' })),
  namespace_path: Type.Optional(Filled({ description: 'Path of the namespace that it is put into.' })),
  overwrite: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether it takes the place of a project of that path, which is deleted when all has come.',
    }),
  ),
  override_params: Type.Optional(
    Type.Object(OverrideParams.properties, {
      description: 'Attributes of the project that count instead of those of the archive.',
    }),
  ),
};

/** Where an archive is put, however it comes. */
const ImportTarget = Type.Object(shared);
export type ImportTarget = Static<typeof ImportTarget>;

export const fileInput = Type.Object({ file: Upload({ description: 'The archive.' }), ...shared });

export const remoteInput = Type.Object({
  // Whoever has such an address can often read what is behind it: the log shows none.
  url: Secret({ minLength: 1, maxLength: 4_096, description: 'Address that the archive is fetched from.' }),
  ...shared,
});

export const s3Input = Type.Object({
  region: Filled({ maxLength: 64, pattern: '^[a-z0-9-]+$', description: 'Region of the bucket.' }),
  bucket_name: Filled({
    maxLength: 63,
    pattern: '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
    description: 'Name of the bucket.',
  }),
  file_key: Filled({ maxLength: 1_024, description: 'Key of the archive in it.' }),
  access_key_id: Secret({ minLength: 1, maxLength: 128, pattern: '^\\w+$', description: 'Id of an access key.' }),
  secret_access_key: Secret({
    minLength: 1,
    maxLength: 128,
    description: 'The access key. It is not kept: an address is made with it that is good for a day.',
  }),
  ...shared,
});
