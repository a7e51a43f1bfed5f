import { type Static, Type } from 'typebox';
import { Filled, Secret, Upload } from '../../../http/http.schema.ts';
import { CreateProject } from '../../spaces/index.ts';

/** Attributes that depend on the namespace, or that would fetch content from elsewhere. */
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
  path: Filled({ maxLength: 255, description: 'Path segment of the new project.' }),
  name: Type.Optional(Filled({ maxLength: 255, description: 'Name of the new project; its path when absent.' })),
  namespace: Type.Optional(
    Filled({
      description: 'Id or path of the destination namespace; the personal namespace of the caller when absent.',
    }),
  ),
  namespace_id: Type.Optional(Type.Integer({ description: 'Id of the destination namespace.' })),
  namespace_path: Type.Optional(Filled({ description: 'Path of the destination namespace.' })),
  overwrite: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether to overwrite an existing project of that path, which is deleted when the import has finished.',
    }),
  ),
  override_params: Type.Optional(
    Type.Object(OverrideParams.properties, {
      description: 'Project attributes that override those in the archive.',
    }),
  ),
};

/** Destination of an import, for all sources. */
const ImportTarget = Type.Object(shared);
export type ImportTarget = Static<typeof ImportTarget>;

export const fileInput = Type.Object({ file: Upload({ description: 'The archive.' }), ...shared });

export const remoteInput = Type.Object({
  // Such URLs often grant access by themselves: they are not logged.
  url: Secret({ minLength: 1, maxLength: 4_096, description: 'URL of the archive.' }),
  ...shared,
});

export const s3Input = Type.Object({
  region: Filled({ maxLength: 64, pattern: '^[a-z0-9-]+$', description: 'Region of the bucket.' }),
  bucket_name: Filled({
    maxLength: 63,
    pattern: '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
    description: 'Name of the bucket.',
  }),
  file_key: Filled({ maxLength: 1_024, description: 'Key of the archive in the bucket.' }),
  access_key_id: Secret({ minLength: 1, maxLength: 128, pattern: '^\\w+$', description: 'Access key id.' }),
  secret_access_key: Secret({
    minLength: 1,
    maxLength: 128,
    description: 'Secret access key. It is not stored: it signs a URL that is valid for a day.',
  }),
  ...shared,
});
