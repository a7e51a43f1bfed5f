import { Type } from 'typebox';
import { Enum, optional, pagination, Secret } from '../../../http/http.schema.ts';

export const ScheduleId = { pipeline_schedule_id: Type.Integer() };

export const listSchedules = Type.Object({
  scope: Type.Optional(Enum(['active', 'inactive'], { description: 'Only those that run, or those that do not.' })),
  ...pagination,
});

const input = {
  name: Type.String({ description: 'Name of the input.' }),
  value: Type.Optional(
    Type.Unsafe<unknown>({ description: 'A text, a number, a truth value or a list.', examples: ['staging'] }),
  ),
};

const fields = {
  description: Type.String({ description: 'What it is for.' }),
  ref: Type.String({ description: 'Branch or tag that it runs on; a full name where both have the short one.' }),
  cron: Type.String({ description: 'When it runs: five fields as cron reads them.', examples: ['0 4 * * *'] }),
};
const active = Type.Boolean({ description: 'Whether it runs.' });
const zone = (options: object) =>
  Type.String({
    ...options,
    description: 'Time zone of `cron`: `Europe/Berlin`, or `Eastern Time (US & Canada)`.',
    examples: ['UTC'],
  });

export const newSchedule = Type.Object({
  ...fields,
  cron_timezone: Type.Optional(zone({ default: 'UTC' })),
  active: Type.Optional(Type.Boolean({ ...active, default: true })),
  inputs: Type.Optional(Type.Array(Type.Object(input), { description: 'Inputs of its pipelines, at most 20.' })),
});

export const changedSchedule = optional({
  ...fields,
  cron_timezone: zone({}),
  active,
  inputs: Type.Array(
    Type.Object({ ...input, destroy: Type.Optional(Type.Boolean({ description: 'Whether it is taken away.' })) }),
    { description: 'Inputs that are added, changed or taken away; others stay.' },
  ),
});

const variableType = Enum(['env_var', 'file'], {
  description: 'Of `file` a job has the path of a file with the value.',
});

export const keyParam = { key: Type.String({ description: 'Key of the variable.' }) };

export const newScheduleVariable = Type.Object({
  key: Type.String({ description: 'Letters, digits and `_`, at most 255.' }),
  value: Secret({ description: 'Its value.' }),
  variable_type: Type.Optional(variableType),
});

export const changedScheduleVariable = optional({
  value: Secret({ description: 'Its value.' }),
  variable_type: variableType,
});
