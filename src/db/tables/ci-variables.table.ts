import type { Selectable } from 'kysely';
import type { StoredSecret } from '../../core/stored-secret.ts';
import type { Bit, Defaulted, Id, Timestamp } from '../columns.ts';
import type { Ownership } from '../ownership.ts';

/** CI/CD variables of a project, a group, or (both null) the instance. */
export interface CiVariablesTable {
  id: Id;
  project_id: number | null;
  group_id: number | null;
  key: string;
  value: StoredSecret<'ci_variables.value'>;
  variable_type: 'env_var' | 'file';
  protected: Defaulted<Bit>;
  masked: Defaulted<Bit>;
  hidden: Defaulted<Bit>;
  raw: Defaulted<Bit>;
  environment_scope: string;
  description: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export type CiVariable = Selectable<CiVariablesTable>;

export const ciVariablesOwnership: Ownership<CiVariablesTable> = { plain: ['variable_type'] };
