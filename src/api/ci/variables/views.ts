import type { Static } from 'typebox';
import type { CiVariable as Row } from '../../../db/tables/ci-variables.ts';
import type { CiVariable, InstanceCiVariable } from './answers.ts';

export const presentInstanceVariable = (row: Row): Static<typeof InstanceCiVariable> => ({
  variable_type: row.variable_type,
  key: row.key,
  value: row.hidden === 1 ? null : row.value,
  protected: row.protected === 1,
  masked: row.masked === 1,
  raw: row.raw === 1,
  description: row.description,
});

export const presentVariable = (row: Row): Static<typeof CiVariable> => ({
  ...presentInstanceVariable(row),
  hidden: row.hidden === 1,
  environment_scope: row.environment_scope,
});
