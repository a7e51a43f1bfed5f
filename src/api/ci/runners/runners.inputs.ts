import { Type } from 'typebox';
import { Enum, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { RUNNER_STATES } from './runners.status.ts';

export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const;

const accessLevel = Enum(['not_protected', 'ref_protected'], {
  description: 'Whether it takes jobs of protected branches and tags alone (`ref_protected`).',
});

/** What can be said of a runner whoever makes it, and changed later. */
export const runnerAttributes = {
  description: Type.String({ maxLength: 1_024, description: 'What people call it.' }),
  maintenance_note: Nullable(
    Type.String({ maxLength: 1_024, description: 'What those who look after it should know.' }),
  ),
  paused: Type.Boolean({ description: 'Whether it gets no further jobs.' }),
  locked: Type.Boolean({ description: 'Whether it stays with the project that it has.' }),
  access_level: accessLevel,
  run_untagged: Type.Boolean({ description: 'Whether it takes jobs without tags, too.' }),
  tag_list: List(Type.String({ maxLength: 255 }), { description: 'Tags of jobs that it takes; 50 at most.' }),
  maximum_timeout: Nullable(Type.Integer({ description: 'Seconds that it gives a job at most; 600 at least.' })),
};

/** `active` is the older word for not being paused. */
const active = Type.Boolean({ description: 'Deprecated: the opposite of `paused`.' });

export const newRunner = Type.Object({
  runner_type: Enum(RUNNER_TYPES, { description: 'For whose jobs it is.' }),
  ...optional({
    group_id: Type.Integer({ description: 'Id of the group, for `group_type`.' }),
    project_id: Type.Integer({ description: 'Id of the project, for `project_type`.' }),
    ...runnerAttributes,
  }).properties,
});

export const runnerChange = optional({ ...runnerAttributes, active });

/** What a program says of itself when it registers with a registration token. */
export const registeredRunner = optional({
  ...runnerAttributes,
  active,
  maintainer_note: Nullable(Type.String({ maxLength: 1_024, description: 'Deprecated: `maintenance_note`.' })),
});

export const runnerId = { runner_id: Type.Integer({ description: 'Id of the runner.' }) };

/** Which runners a list shows. */
export const runnerFilters = Type.Object({
  ...optional({
    scope: Type.String({ description: 'Deprecated: `type` and `status`.', examples: ['online'] }),
    type: Enum(RUNNER_TYPES, { description: 'Only those for such jobs.' }),
    paused: Type.Boolean({ description: 'Only those that get no further jobs, or the others.' }),
    status: Enum(['active', 'paused', ...RUNNER_STATES], {
      description: 'Only those that stand so; `active` and `paused` are deprecated for `paused`.',
    }),
    tag_list: List(Type.String(), { description: 'Only those with all of these tags.', maxItems: 50 }),
    version_prefix: Type.String({ description: 'Only those with a machine of such a version.', examples: ['19.'] }),
  }).properties,
  ...pagination,
});
