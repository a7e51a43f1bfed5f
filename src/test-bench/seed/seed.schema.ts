import { Type } from 'typebox';
import { PERSONAL_SCOPES } from '../../api/identity/index.ts';
import { Day, Enum, Instant } from '../../http/http.schema.ts';
import { FaultInput } from '../faults/fault-rule.ts';
import {
  collectionSchemas,
  GROUP_COLLECTIONS,
  GROUP_FINISH,
  INSTANCE_COLLECTIONS,
  INSTANCE_FINISH,
  listOf,
} from './seed-collections.ts';
import { type FieldSchema, type Fields, fieldsOf, optionalFields, strictly } from './seed-fields.ts';
import { projectFields } from './seed-project.schema.ts';

const text = (description: string) => Type.String({ minLength: 1, description });
const maybe = (description: string) => Type.Optional(text(description));
const anything = (description: string) =>
  Type.Optional(Type.Unsafe({ type: 'object', additionalProperties: true, description }));

const users = listOf(
  {
    ...fieldsOf('POST /users', ['reset_password', 'force_random_password', 'skip_confirmation']),
    username: text('Username.'),
    name: maybe('Name; made of the username when absent.'),
    email: maybe('E-mail address; `<username>@example.com` when absent.'),
    state: Type.Optional(Enum(['active', 'blocked', 'deactivated', 'banned'])),
    tokens: listOf(
      {
        token: text('The token itself, known beforehand.'),
        name: maybe('Name; "seed" when absent.'),
        scopes: Type.Optional(Type.Array(Enum(PERSONAL_SCOPES), { description: 'Scopes; api when absent.' })),
        expires_at: Type.Optional(Day({ description: 'Last day; it does not expire when absent.' })),
      },
      'Personal access tokens.',
      'token',
    ),
    keys: listOf({ ...fieldsOf('POST /user/keys'), title: maybe('Title.') }, 'SSH keys.', 'key'),
    gpg_keys: listOf(fieldsOf('POST /user/gpg_keys'), 'GPG keys.', 'key'),
    emails: listOf(fieldsOf('POST /user/emails'), 'Further e-mail addresses.', 'email'),
    status: Type.Optional(Type.Object(fieldsOf('PUT /user/status'), { additionalProperties: false })),
    snippets: listOf(fieldsOf('POST /snippets'), 'Personal snippets.'),
  },
  'Users; each gets the personal namespace of its name.',
  'username',
);

const groups = listOf(
  {
    ...fieldsOf('POST /groups'),
    path: text('Path of the group.'),
    name: maybe('Name; the path when absent.'),
    creator: maybe('Username of who makes it, and becomes its owner.'),
    ...collectionSchemas([...GROUP_COLLECTIONS, ...GROUP_FINISH]),
    push_rule: Type.Optional(
      Type.Object(optionalFields(fieldsOf('POST /groups/:id/push_rule')), { additionalProperties: false }),
    ),
    integrations: anything('Integrations by their slugs, with their settings.'),
    custom_attributes: anything('Custom attributes by their keys.'),
    subgroups: Type.Optional(Type.Unsafe({ $ref: '#/$defs/groups' })),
  },
  'Groups.',
  'path',
);

const ROOT: Fields = {
  $schema: maybe('The schema of this file, for editors.'),
  templates: Type.Optional(
    Type.Unsafe({ description: 'Whatever anchors (&name) stand at, for aliases (*name) below.' }),
  ),
  clock: Type.Optional(
    Type.Object(
      {
        now: Type.Optional(Instant({ description: 'The time that the server goes by afterwards.' })),
        frozen: Type.Optional(Type.Boolean({ description: 'Whether the clock stands still afterwards.' })),
      },
      { additionalProperties: false, description: 'The clock of the test bench after the seed.' },
    ),
  ),
  license: maybe('A license key.'),
  plan: Type.Optional(Enum(['free', 'premium', 'ultimate'], { description: 'The plan that the seed needs.' })),
  settings: Type.Optional(
    Type.Object(fieldsOf('PUT /application/settings'), {
      additionalProperties: false,
      description: 'Application settings.',
    }),
  ),
  features: anything('Feature switches by their names, with their values.'),
  ...collectionSchemas([...INSTANCE_COLLECTIONS, ...INSTANCE_FINISH]),
  users,
  groups,
  projects: listOf(projectFields(), 'Projects.', 'path'),
  faults: Type.Optional(
    Type.Array(strictly(FaultInput as unknown as FieldSchema), {
      maxItems: 1_000,
      description: 'Faults as `POST /-/bench/faults` takes them; they act once everything is there.',
    }),
  ),
};

let made: FieldSchema | undefined;

/** The schema of seed files, which is a JSON Schema. */
export function seedSchema(): FieldSchema {
  made ??= {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A seed of a Stithy server',
    ...(Type.Object(ROOT, { additionalProperties: false }) as unknown as FieldSchema),
    $defs: { groups: groups as unknown as FieldSchema },
  };
  return made;
}

/** The JSON Schema of seed files, as editors read it. */
export const seedSchemaText = (): string => `${JSON.stringify(seedSchema(), null, 1)}\n`;
