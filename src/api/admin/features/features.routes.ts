import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';
import { actorsOf } from './actors.ts';
import { changeFeature, loadFeatures } from './features.store.ts';
import { changed, present } from './gates.ts';

const GateValue = Type.Unsafe<boolean | number | readonly string[]>({
  anyOf: [{ type: 'boolean' }, { type: 'integer' }, { type: 'array', items: { type: 'string' } }],
  description: 'Boolean, percentage or list of names.',
  examples: [true],
});

const Definition = Type.Object(
  {
    name: Type.String({ description: 'Name of the flag.' }),
    default_enabled: Type.Boolean({ description: 'Whether the flag is on by default.', examples: [false] }),
  },
  { description: 'Definition of the flag in this version; null if there is none.' },
);

const ServerFeature = Type.Object({
  name: Type.String({ description: 'Name of the flag.', examples: ['new_library'] }),
  state: Enum(['on', 'off', 'conditional'], { description: '`on` for everybody, `conditional` for some, or `off`.' }),
  gates: Type.Array(
    Type.Object({
      key: Type.String({ description: 'Kind of gate.', examples: ['boolean'] }),
      value: GateValue,
    }),
    { description: 'Gates that decide for whom the flag is on.' },
  ),
  definition: Nullable(Definition),
});

const params = Type.Object({
  name: Type.String({ pattern: '^[\\w.:-]{1,255}$', description: 'Name of the flag.', examples: ['new_library'] }),
});

const list = (whom: string, example: string) =>
  Type.Optional(
    Type.String({ maxLength: 10_000, description: `${whom}; several are separated by commas.`, examples: [example] }),
  );

/** Feature flags of the server itself; nothing on this server depends on them. */
export const featureRoutes = [
  route({
    method: 'GET',
    path: '/features',
    summary: 'List the feature flags of the server',
    access: administrator,
    success: { status: 200, schema: Type.Array(ServerFeature) },
    handler: async ({ deps }) =>
      Object.entries(await loadFeatures(deps.db)).map(([name, gates]) => present(name, gates)),
  }),
  route({
    method: 'GET',
    path: '/features/definitions',
    summary: 'List the feature flags that this version defines',
    description: 'The list is empty.',
    access: administrator,
    success: { status: 200, schema: Type.Array(Definition) },
    handler: () => [],
  }),
  route({
    method: 'POST',
    path: '/features/:name',
    summary: 'Set a feature flag of the server',
    access: onServer('admin_settings'),
    params,
    input: Type.Object({
      value: Type.String({ description: '`true`, `false`, or a percentage.', examples: ['true'] }),
      key: Type.Optional(
        Enum(['percentage_of_actors', 'percentage_of_time'], {
          default: 'percentage_of_time',
          description: 'Base of a percentage.',
        }),
      ),
      feature_group: list('Group of actors', 'beta_testers'),
      user: list('User name', 'ann'),
      group: list('Path of a group', 'tools'),
      namespace: list('Path of a group or of a user', 'ann'),
      project: list('Path of a project', 'tools/app'),
      repository: list('Path of a repository', 'tools/app.git'),
      force: Type.Optional(Type.Boolean({ description: 'Has no effect: all names are accepted.', examples: [false] })),
    }),
    rules: {
      mutuallyExclusive: ['feature_group', 'user', 'group', 'namespace', 'project', 'repository'].map((name) => [
        'key',
        name,
      ]),
    },
    success: { status: 201, schema: ServerFeature },
    errors: [400],
    handler: async ({ deps, params: { name }, input }) => {
      const actors = await actorsOf(deps.db, input);
      const groups = (input.feature_group ?? '')
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
      const change = { value: input.value, key: input.key ?? 'percentage_of_time', groups, actors } as const;
      return present(name, (await changeFeature(deps, name, (old) => changed(old, change)))!);
    },
  }),
  route({
    method: 'DELETE',
    path: '/features/:name',
    summary: 'Remove a feature flag of the server',
    description: 'Succeeds even if the flag does not exist.',
    access: onServer('admin_settings'),
    params,
    success: { status: 204, empty: true },
    handler: async ({ deps, params: { name } }) => {
      await changeFeature(deps, name, () => undefined);
    },
  }),
];
