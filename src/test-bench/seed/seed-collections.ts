import { type TSchema, Type } from 'typebox';
import { type Fields, fieldsOf } from './seed-fields.ts';

/** Objects of a seed that the API makes one by one below an owner: a group, a project, an issue, the instance. */
export interface Collection {
  /** Its key in the owner. */
  readonly key: string;
  /** What makes one, such as `POST /projects/:id/labels`; `:id` is the owner. */
  readonly route: string;
  /** By what an existing one is found: keys of the seed, and in answers of the list where they differ. */
  readonly natural: readonly (string | readonly [seed: string, answer: string])[];
  /** The list of existing ones; below the same path by default. Null: it cannot be listed, so it is made every time. */
  readonly list?: string | null;
  /** Parameters of the route that seeds do not have. */
  readonly without?: readonly string[];
  /** Further keys, and other schemas of those there are. */
  readonly extra?: Fields;
  /** Keys with defaults that the API does not have. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Key that takes a text alone: `labels: [bug]`. */
  readonly short?: string;
  /** Key with the user who makes it; the administrator if absent. */
  readonly author?: string;
  /** Another one with the same keys is changed to this one instead of refused. */
  readonly update?: string;
  /** Whether `state: closed` closes it, by a PUT with `state_event`. */
  readonly closes?: boolean;
}

const state = Type.Optional(
  Type.Unsafe({ type: 'string', enum: ['active', 'opened', 'closed'], description: 'closed closes it.' }),
);
const someone = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

const members = (kind: 'projects' | 'groups'): Collection => ({
  key: 'members',
  route: `POST /${kind}/:id/members`,
  natural: [['user', 'username']],
  without: ['username', 'invite_source'],
  extra: { user: Type.String({ minLength: 1, description: 'Username of the member.' }) },
  update: 'PUT /:user_id',
});

const common = (kind: 'projects' | 'groups'): Collection[] => [
  {
    key: 'labels',
    route: `POST /${kind}/:id/labels`,
    natural: ['name'],
    extra: { color: Type.Optional(Type.String({ description: 'A color such as #dc143c.' })) },
    defaults: { color: '#6699cc' },
    short: 'name',
  },
  {
    key: 'milestones',
    route: `POST /${kind}/:id/milestones`,
    natural: ['title'],
    extra: { state },
    short: 'title',
    closes: true,
  },
  { key: 'variables', route: `POST /${kind}/:id/variables`, natural: ['key', 'environment_scope'] },
  { key: 'badges', route: `POST /${kind}/:id/badges`, natural: ['link_url', 'image_url'] },
  { key: 'deploy_tokens', route: `POST /${kind}/:id/deploy_tokens`, natural: ['name'] },
];

const finishing = (kind: 'projects' | 'groups'): Collection[] => [
  {
    key: 'shared_with_groups',
    route: `POST /${kind}/:id/share`,
    natural: [['group', 'group_full_path']],
    list: `/${kind}/:id`,
    defaults: { group_access: 'developer' },
    extra: { group_access: Type.Optional(fieldsOf(`POST /${kind}/:id/share`).group_access as TSchema) },
  },
  { key: 'hooks', route: `POST /${kind}/:id/hooks`, natural: ['url'], short: 'url' },
];

/** What a group has before its subgroups and projects. */
export const GROUP_COLLECTIONS: readonly Collection[] = [
  members('groups'),
  ...common('groups'),
  {
    key: 'wikis',
    route: 'POST /groups/:id/wikis',
    natural: ['title'],
    author: 'author',
    extra: { author: someone('Username of the author.') },
  },
];

/** What is set on a group when everything else is there. */
export const GROUP_FINISH: readonly Collection[] = [
  ...finishing('groups'),
  {
    key: 'protected_branches',
    route: 'POST /groups/:id/protected_branches',
    natural: ['name'],
    short: 'name',
  },
];

/** What a project has beside its repository before its issues. */
export const PROJECT_COLLECTIONS: readonly Collection[] = [
  members('projects'),
  ...common('projects'),
  { key: 'environments', route: 'POST /projects/:id/environments', natural: ['name'], short: 'name' },
  { key: 'deploy_keys', route: 'POST /projects/:id/deploy_keys', natural: ['title'] },
  { key: 'freeze_periods', route: 'POST /projects/:id/freeze_periods', natural: ['freeze_start', 'freeze_end'] },
  { key: 'approval_rules', route: 'POST /projects/:id/approval_rules', natural: ['name'], without: ['report_type'] },
  {
    key: 'feature_flags_user_lists',
    route: 'POST /projects/:id/feature_flags_user_lists',
    natural: ['name'],
  },
  { key: 'feature_flags', route: 'POST /projects/:id/feature_flags', natural: ['name'], short: 'name' },
  {
    key: 'snippets',
    route: 'POST /projects/:id/snippets',
    natural: ['title'],
    author: 'author',
    extra: { author: someone('Username of the author.') },
  },
  {
    key: 'wikis',
    route: 'POST /projects/:id/wikis',
    natural: ['title'],
    author: 'author',
    extra: { author: someone('Username of the author.') },
  },
];

/** What needs commits. */
export const REPOSITORY_COLLECTIONS: readonly Collection[] = [
  {
    key: 'branches',
    route: 'POST /projects/:id/repository/branches',
    natural: [['branch', 'name']],
  },
  {
    key: 'tags',
    route: 'POST /projects/:id/repository/tags',
    natural: [['tag_name', 'name']],
    short: 'tag_name',
    author: 'author',
    extra: {
      ref: Type.Optional(Type.String({ description: 'Branch or commit; the default branch when absent.' })),
      author: someone('Username of the tagger.'),
    },
  },
  {
    key: 'releases',
    route: 'POST /projects/:id/releases',
    natural: ['tag_name'],
    author: 'author',
    extra: { author: someone('Username of the author.') },
  },
];

/** What is set on a project when everything else is there: it would refuse the rest, or be called by it. */
export const PROJECT_FINISH: readonly Collection[] = [
  {
    key: 'pipeline_schedules',
    route: 'POST /projects/:id/pipeline_schedules',
    natural: ['description'],
    author: 'owner',
    extra: { owner: someone('Username of the owner.') },
  },
  { key: 'triggers', route: 'POST /projects/:id/triggers', natural: ['description'], short: 'description' },
  { key: 'remote_mirrors', route: 'POST /projects/:id/remote_mirrors', natural: ['url'], without: ['auth_method'] },
  {
    key: 'protected_branches',
    route: 'POST /projects/:id/protected_branches',
    natural: ['name'],
    short: 'name',
    update: 'replace',
  },
  { key: 'protected_tags', route: 'POST /projects/:id/protected_tags', natural: ['name'], short: 'name' },
  ...finishing('projects'),
];

/** What the whole instance has, before its users. */
export const INSTANCE_COLLECTIONS: readonly Collection[] = [
  { key: 'member_roles', route: 'POST /member_roles', natural: ['name'] },
  {
    key: 'topics',
    route: 'POST /topics',
    natural: ['name'],
    extra: { title: someone('Title; the name when absent.') },
  },
];

/** What the whole instance has, after its projects. */
export const INSTANCE_FINISH: readonly Collection[] = [
  { key: 'variables', route: 'POST /admin/ci/variables', natural: ['key'] },
  { key: 'broadcast_messages', route: 'POST /broadcast_messages', natural: ['message'], short: 'message' },
  { key: 'applications', route: 'POST /applications', natural: [['name', 'application_name']] },
  { key: 'hooks', route: 'POST /hooks', natural: ['url'], short: 'url' },
];

/** Keys and schemas of one object of a collection. */
export function collectionFields({ route, without = [], extra = {} }: Collection): Fields {
  return { ...fieldsOf(route, without), ...extra };
}

/** A list of objects; each may stand for many by `count`, and have a date. */
export function listOf(fields: Fields, description: string, short?: string): TSchema {
  const item = Type.Object(
    {
      ...fields,
      count: Type.Optional(
        Type.Integer({ minimum: 0, maximum: MAX_COUNT, description: 'Makes so many; {n} in texts is the number.' }),
      ),
      created_at: Type.Optional(
        Type.Unsafe<string>({ type: 'string', format: 'date-time', description: 'When it was made.' }),
      ),
    },
    { additionalProperties: false },
  );
  const items = short === undefined ? item : Type.Unsafe({ anyOf: [item, Type.String({ minLength: 1 })] });
  return Type.Optional(Type.Array(items, { maxItems: MAX_COUNT, description }));
}

/** How many objects one entry may stand for. */
export const MAX_COUNT = 100_000;

/** The schemas of collections, by their keys in the owner. */
export const collectionSchemas = (collections: readonly Collection[]): Fields =>
  Object.fromEntries(
    collections.map((collection) => [
      collection.key,
      listOf(collectionFields(collection), `As \`${collection.route}\` takes them.`, collection.short),
    ]),
  );
