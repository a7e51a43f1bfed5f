import { Type } from 'typebox';
import { Enum, optional, pagination, Secret } from '../../../http/http.schema.ts';

export const ScheduleId = { pipeline_schedule_id: Type.Integer() };

export const listSchedules = Type.Object({
  scope: Type.Optional(Enum(['active', 'inactive'], { description: 'Only active or only inactive schedules.' })),
  ...pagination,
});

const input = {
  name: Type.String({ description: 'Name of the input.' }),
  value: Type.Optional(
    Type.Unsafe<unknown>({ description: 'A string, a number, a boolean or an array.', examples: ['staging'] }),
  ),
};

const fields = {
  description: Type.String({ description: 'Description of the schedule.' }),
  ref: Type.String({
    description: 'Branch or tag of its pipelines; the full ref name if both a branch and a tag have the short one.',
  }),
  cron: Type.String({ description: 'Schedule as a cron expression of five fields.', examples: ['0 4 * * *'] }),
};
const active = Type.Boolean({ description: 'Whether the schedule is active.' });
const zone = (options: object) =>
  Type.String({
    ...options,
    description: 'Time zone of `cron`, such as `Europe/Berlin` or `Eastern Time (US & Canada)`.',
    examples: ['UTC'],
  });

export const newSchedule = Type.Object({
  ...fields,
  cron_timezone: Type.Optional(zone({ default: 'UTC' })),
  active: Type.Optional(Type.Boolean({ ...active, default: true })),
  inputs: Type.Optional(Type.Array(Type.Object(input), { description: 'Inputs of its pipelines; at most 20.' })),
});

export const changedSchedule = optional({
  ...fields,
  cron_timezone: zone({}),
  active,
  inputs: Type.Array(
    Type.Object({ ...input, destroy: Type.Optional(Type.Boolean({ description: 'Whether to remove the input.' })) }),
    { description: 'Inputs to add, change or remove; others are kept.' },
  ),
});

const variableType = Enum(['env_var', 'file'], {
  description: 'With `file`, the variable holds the path of a file with the value.',
});

export const keyParam = { key: Type.String({ description: 'Key of the variable.' }) };

export const newScheduleVariable = Type.Object({
  key: Type.String({ description: 'Letters, digits and `_`; at most 255 characters.' }),
  value: Secret({ description: 'Value of the variable.' }),
  variable_type: Type.Optional(variableType),
});

export const changedScheduleVariable = optional({
  value: Secret({ description: 'Value of the variable.' }),
  variable_type: variableType,
});
