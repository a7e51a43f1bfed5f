import { Type } from 'typebox';
import { Enum, List, Nullable, optional } from '../../../http/schema.ts';

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

/** What a program says of itself when it registers with a registration token. */
export const registeredRunner = optional({
  ...runnerAttributes,
  active,
  maintainer_note: Nullable(Type.String({ maxLength: 1_024, description: 'Deprecated: `maintenance_note`.' })),
});
