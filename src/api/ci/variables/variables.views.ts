import type { Static } from 'typebox';
import type { CiVariable as Row } from '../../../db/tables/ci-variables.table.ts';
import type { Deps } from '../../../deps.ts';
import { openedVariable } from '../../../pipelines/variables/at-rest.ts';
import type { CiVariable, InstanceCiVariable } from './variables.responses.ts';

export const presentInstanceVariable = (deps: Deps, row: Row): Static<typeof InstanceCiVariable> => ({
  variable_type: row.variable_type,
  key: row.key,
  value: row.hidden === 1 ? null : openedVariable(deps, 'ci_variables', row).value,
  protected: row.protected === 1,
  masked: row.masked === 1,
  raw: row.raw === 1,
  description: row.description,
});

export const presentVariable = (deps: Deps, row: Row): Static<typeof CiVariable> => ({
  ...presentInstanceVariable(deps, row),
  hidden: row.hidden === 1,
  environment_scope: row.environment_scope,
});
