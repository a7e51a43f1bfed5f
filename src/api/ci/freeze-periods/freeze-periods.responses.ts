import { Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

/** A period in which a project should not be deployed. */
export const FreezePeriod = Type.Object({
  id: Type.Integer(),
  freeze_start: Type.String(),
  freeze_end: Type.String(),
  cron_timezone: Type.String(),
  created_at: Instant(),
  updated_at: Instant(),
});
