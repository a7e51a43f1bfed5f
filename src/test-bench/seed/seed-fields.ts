import { type TSchema, Type } from 'typebox';
import { routes } from '../../api/index.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { Enum } from '../../http/http.schema.ts';

/** A JSON schema, as far as declarations of routes and seeds use it. */
export interface FieldSchema {
  type?: string | readonly string[];
  format?: string;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | FieldSchema;
  patternProperties?: Readonly<Record<string, FieldSchema>>;
  items?: FieldSchema;
  anyOf?: readonly FieldSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  description?: string;
  [option: string]: unknown;
}

export type Fields = Record<string, TSchema>;

const name = (description: string) => Type.String({ minLength: 1, description });
const names = (description: string) => Type.Array(Type.String({ minLength: 1 }), { maxItems: 1_000, description });

/** Parameters that take ids, with the keys that seeds have instead: names. */
export const REFERENCES: Readonly<Record<string, { key: string; schema: TSchema }>> = {
  assignee_ids: { key: 'assignees', schema: names('Usernames of the assignees.') },
  reviewer_ids: { key: 'reviewers', schema: names('Usernames of the reviewers.') },
  user_ids: { key: 'users', schema: names('Usernames.') },
  group_ids: { key: 'groups', schema: names('Full paths of groups.') },
  user_id: { key: 'user', schema: name('Username.') },
  group_id: { key: 'group', schema: name('Full path of a group.') },
  parent_id: { key: 'parent', schema: name('Full path of the parent group.') },
  namespace_id: { key: 'namespace', schema: name('Full path of a group, or a username.') },
  milestone_id: { key: 'milestone', schema: name('Title of a milestone.') },
  member_role_id: { key: 'member_role', schema: name('Name of a custom role.') },
  target_project_id: { key: 'target_project', schema: name('Full path of a project.') },
  protected_branch_ids: { key: 'protected_branches', schema: names('Names of protected branches.') },
  user_list_id: { key: 'user_list', schema: name('Name of a user list of the project.') },
};

/** Parameters that make no sense in a seed: other forms of those above, and files of the client. */
const LEFT_OUT = new Set(['assignee_id', 'usernames', 'username_list', 'organization_id', 'milestone_ids']);

/** Names of access levels, as seeds have them. */
export const LEVELS: Readonly<Record<string, number>> = {
  ...AccessLevel,
  no_access: AccessLevel.none,
};

/** Whether a parameter is an access level. */
export const isLevel = (key: string): boolean => /(^|_)access_levels?$|^group_access$/.test(key);

const levelField = ({ description }: FieldSchema): TSchema =>
  Type.Unsafe({
    anyOf: [Enum(Object.keys(LEVELS)), { type: 'integer', minimum: 0, maximum: 60 }],
    description: `${description ?? 'Access level.'} As a name, such as developer, or a number.`,
  });

const isLevelSchema = ({ type, items }: FieldSchema): boolean =>
  type === 'integer' || (type === 'array' && items?.type === 'integer');

/** A schema of the API as that of a seed: names instead of ids, no unknown keys. */
function seedSchema(schema: FieldSchema): FieldSchema {
  const { properties, items, default: _, ...rest } = schema;
  const plain: FieldSchema = rest.format === 'binary' || rest.format === 'password' ? withoutFormat(rest) : rest;
  if (items !== undefined) return { ...plain, items: seedSchema(items) };
  if (properties === undefined) return plain;
  const fields = seedFields(properties, schema.required ?? []);
  const required = (schema.required ?? []).map((key) => REFERENCES[key]?.key ?? key);
  return {
    ...plain,
    properties: fields as Record<string, FieldSchema>,
    required: required.filter((key) => key in fields),
    additionalProperties: false,
  };
}

/** A schema as it is, but without unknown keys. */
export const strictly = (schema: FieldSchema): TSchema =>
  ({ ...seedSchema(schema), additionalProperties: false }) as unknown as TSchema;

const withoutFormat = ({ format: _, ...rest }: FieldSchema): FieldSchema => rest;

function seedFields(properties: Readonly<Record<string, FieldSchema>>, required: readonly string[]): Fields {
  const fields: Fields = {};
  for (const [key, schema] of Object.entries(properties)) {
    const reference = REFERENCES[key];
    if (LEFT_OUT.has(key) || (schema.format === 'binary' && schema['x-spooled'] !== true)) continue;
    const field =
      reference !== undefined
        ? reference.schema
        : isLevel(key) && isLevelSchema(schema)
          ? schema.type === 'array'
            ? Type.Array(levelField({}), { maxItems: 20 })
            : levelField(schema)
          : (seedSchema(schema) as TSchema);
    fields[reference?.key ?? key] = required.includes(key) ? field : Type.Optional(field);
  }
  return fields;
}

function inputOf(route: string): FieldSchema {
  const [method, path] = route.split(' ');
  const found = routes.find(({ options }) => options.method === method && options.path === path);
  if (found === undefined) throw new Error(`there is no route ${route}`);
  return (found.options.input ?? {}) as unknown as FieldSchema;
}

const parameters = new Map<string, ReadonlySet<string>>();

/** Names of the parameters of a route. @throws Error for an unknown route */
export function parametersOf(route: string): ReadonlySet<string> {
  const known = parameters.get(route) ?? new Set(Object.keys(inputOf(route).properties ?? {}));
  parameters.set(route, known);
  return known;
}

/**
 * The keys of a seed for what a route of the API makes: its parameters, with names instead of ids.
 * @param route such as `POST /projects/:id/labels`
 * @param without parameters that the seed does not have
 * @throws Error for an unknown route
 */
export function fieldsOf(route: string, without: readonly string[] = []): Fields {
  const { properties = {}, required = [] } = inputOf(route);
  const fields = seedFields(properties, required);
  for (const key of without) delete fields[key];
  return fields;
}

/** All fields, none of them required. */
export const optionalFields = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, schema]) => [key, Type.Optional(schema)]));
