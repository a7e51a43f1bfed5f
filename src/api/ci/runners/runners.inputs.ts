import { Type } from 'typebox';
import { Enum, List, Nullable, optional, pagination } from '../../../http/http.schema.ts';
import { RUNNER_STATES } from './runners.status.ts';

export const RUNNER_TYPES = ['instance_type', 'group_type', 'project_type'] as const;

const accessLevel = Enum(['not_protected', 'ref_protected'], {
  description: 'Whether the runner takes only jobs of protected branches and tags (`ref_protected`).',
});

/** Attributes for creation by any means, and for updates. */
export const runnerAttributes = {
  description: Type.String({ maxLength: 1_024, description: 'Description of the runner.' }),
  maintenance_note: Nullable(Type.String({ maxLength: 1_024, description: 'Note for those who maintain the runner.' })),
  paused: Type.Boolean({ description: 'Whether the runner takes no new jobs.' }),
  locked: Type.Boolean({ description: 'Whether the runner cannot be assigned to other projects.' }),
  access_level: accessLevel,
  run_untagged: Type.Boolean({ description: 'Whether the runner takes jobs without tags.' }),
  tag_list: List(Type.String({ maxLength: 255 }), { description: 'Tags of jobs that the runner takes; at most 50.' }),
  maximum_timeout: Nullable(Type.Integer({ description: 'Maximum seconds a job may run; at least 600.' })),
};

/** `active` is the deprecated opposite of `paused`. */
const active = Type.Boolean({ description: 'Deprecated: the opposite of `paused`.' });

export const newRunner = Type.Object({
  runner_type: Enum(RUNNER_TYPES, { description: 'Type of the runner.' }),
  ...optional({
    group_id: Type.Integer({ description: 'Id of the group; for `group_type`.' }),
    project_id: Type.Integer({ description: 'Id of the project; for `project_type`.' }),
    ...runnerAttributes,
  }).properties,
});

export const runnerChange = optional({ ...runnerAttributes, active });

/** Attributes of a registration with a registration token. */
export const registeredRunner = optional({
  ...runnerAttributes,
  active,
  maintainer_note: Nullable(Type.String({ maxLength: 1_024, description: 'Deprecated: use `maintenance_note`.' })),
});

export const runnerId = { runner_id: Type.Integer({ description: 'Id of the runner.' }) };

/** Filters of lists of runners. */
export const runnerFilters = Type.Object({
  ...optional({
    scope: Type.String({ description: 'Deprecated: use `type` and `status`.', examples: ['online'] }),
    type: Enum(RUNNER_TYPES, { description: 'Only runners of this type.' }),
    paused: Type.Boolean({ description: 'Only paused, or only unpaused, runners.' }),
    status: Enum(['active', 'paused', ...RUNNER_STATES], {
      description: 'Only runners with this status. `active` and `paused` are deprecated: use `paused`.',
    }),
    tag_list: List(Type.String(), { description: 'Only runners with all of these tags.', maxItems: 50 }),
    version_prefix: Type.String({
      description: 'Only runners with a machine of a version that begins with this.',
      examples: ['19.'],
    }),
  }).properties,
  ...pagination,
});
