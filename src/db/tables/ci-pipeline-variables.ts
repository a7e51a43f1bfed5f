import type { Selectable } from 'kysely';
import type { Bit, Defaulted } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** Variables that a pipeline was started with. */
export interface CiPipelineVariablesTable {
  pipeline_id: number;
  key: string;
  value: string;
  variable_type: 'env_var' | 'file';
  raw: Defaulted<Bit>;
}
export type CiPipelineVariable = Selectable<CiPipelineVariablesTable>;

export const ciPipelineVariablesOwnership: Ownership<CiPipelineVariablesTable> = { plain: ['variable_type'] };
