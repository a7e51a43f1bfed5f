import { Type } from 'typebox';
import { optional, pagination } from '../../../http/http.schema.ts';

const times = {
  freeze_start: Type.String({
    description: 'Start of the freeze, as a cron expression of five fields.',
    examples: ['0 23 * * 5'],
  }),
  freeze_end: Type.String({
    description: 'End of the freeze, as a cron expression of five fields.',
    examples: ['0 7 * * 1'],
  }),
};

export const FreezePeriodId = Type.Object({ freeze_period_id: Type.Integer() });
export const listFreezePeriods = Type.Object(pagination);
export const newFreezePeriod = Type.Object({
  ...times,
  cron_timezone: Type.Optional(
    Type.String({ default: 'UTC', description: 'Time zone of both expressions.', examples: ['UTC'] }),
  ),
});
export const changedFreezePeriod = optional({
  ...times,
  cron_timezone: Type.String({ description: 'Time zone of both expressions.', examples: ['UTC'] }),
});
