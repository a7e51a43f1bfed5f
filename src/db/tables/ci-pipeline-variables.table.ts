import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Variables that a pipeline was started with. */
export interface CiPipelineVariablesTable {
  pipeline_id: number;
  key: string;
  value: StoredSecret<'ci_pipeline_variables.value'>;
  variable_type: 'env_var' | 'file';
  raw: Defaulted<Bit>;
}
export type CiPipelineVariable = Selectable<CiPipelineVariablesTable>;

export const ciPipelineVariablesOwnership: Ownership<CiPipelineVariablesTable> = { plain: ['variable_type'] };
