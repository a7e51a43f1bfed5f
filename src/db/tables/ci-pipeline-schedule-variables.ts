import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface CiPipelineScheduleVariablesTable {
  schedule_id: number;
  key: string;
  value: string;
  variable_type: 'env_var' | 'file';
  raw: Defaulted<Bit>;
}
export type CiPipelineScheduleVariable = Selectable<CiPipelineScheduleVariablesTable>;

export const ciPipelineScheduleVariablesOwnership: Ownership<CiPipelineScheduleVariablesTable> = {
  plain: ['variable_type'],
};
