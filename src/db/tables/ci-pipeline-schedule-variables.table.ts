import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

export interface CiPipelineScheduleVariablesTable {
  schedule_id: number;
  key: string;
  value: StoredSecret<'ci_pipeline_schedule_variables.value'>;
  variable_type: 'env_var' | 'file';
  raw: Defaulted<Bit>;
}
export type CiPipelineScheduleVariable = Selectable<CiPipelineScheduleVariablesTable>;

export const ciPipelineScheduleVariablesOwnership: Ownership<CiPipelineScheduleVariablesTable> = {
  plain: ['variable_type'],
};
