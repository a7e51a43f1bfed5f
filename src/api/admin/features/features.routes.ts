import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';
import { actorsOf } from './actors.ts';
import { changeFeature, loadFeatures } from './features.store.ts';
import { changed, present } from './gates.ts';

const GateValue = Type.Unsafe<boolean | number | readonly string[]>({
  anyOf: [{ type: 'boolean' }, { type: 'integer' }, { type: 'array', items: { type: 'string' } }],
  description: 'True or false, a percentage, or names.',
  examples: [true],
});

const Definition = Type.Object(
  {
    name: Type.String({ description: 'Name of the flag.' }),
    default_enabled: Type.Boolean({ description: 'Whether it is on where nobody has set it.', examples: [false] }),
  },
  { description: 'What the version says of the flag; null for one that it does not define.' },
);

const ServerFeature = Type.Object({
  name: Type.String({ description: 'Name of the flag.', examples: ['new_library'] }),
  state: Enum(['on', 'off', 'conditional'], { description: 'Whether it is on, for everybody or for some.' }),
  gates: Type.Array(
    Type.Object({
      key: Type.String({ description: 'What decides.', examples: ['boolean'] }),
      value: GateValue,
    }),
    { description: 'What decides for whom it is on.' },
  ),
  definition: Nullable(Definition),
});

const params = Type.Object({
  name: Type.String({ pattern: '^[\\w.:-]{1,255}$', description: 'Name of the flag.', examples: ['new_library'] }),
});

const list = (whom: string, example: string) =>
  Type.Optional(
    Type.String({ maxLength: 10_000, description: `${whom}, with commas between several.`, examples: [example] }),
  );

/** Flags of the server itself, as administrators of the platform switch them; nothing of this server depends on one. */
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
    description: 'It defines none.',
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
          description: 'What a percentage is of.',
        }),
      ),
      feature_group: list('Group of actors', 'beta_testers'),
      user: list('User name', 'ann'),
      group: list('Path of a group', 'tools'),
      namespace: list('Path of a group or of a user', 'ann'),
      project: list('Path of a project', 'tools/app'),
      repository: list('Path of a repository', 'tools/app.git'),
      force: Type.Optional(Type.Boolean({ description: 'Passed over: any name is taken.', examples: [false] })),
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
    description: 'The answer is the same where there was none.',
    access: onServer('admin_settings'),
    params,
    success: { status: 204, empty: true },
    handler: async ({ deps, params: { name } }) => {
      await changeFeature(deps, name, () => undefined);
    },
  }),
];
