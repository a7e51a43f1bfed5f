import type { CiVariable } from '../db/tables/ci-variables.table.ts';
import { type AuditEntry, group, INSTANCE, project } from './record.audit.ts';

/** Recorded facts of a CI/CD variable; the value is never recorded. */
type VariableFacts = Pick<
  CiVariable,
  'id' | 'key' | 'project_id' | 'group_id' | 'protected' | 'masked' | 'hidden' | 'environment_scope' | 'variable_type'
>;

/** The audit entry of a created, changed or removed variable. */
export function variableEntry(row: VariableFacts, happened: 'created' | 'updated' | 'deleted'): AuditEntry {
  const { id, key, project_id, group_id } = row;
  const [name, entity, type] =
    project_id !== null
      ? ([`ci_variable_${happened}`, project(project_id), 'Ci::Variable'] as const)
      : group_id !== null
        ? ([`ci_group_variable_${happened}`, group(group_id), 'Ci::GroupVariable'] as const)
        : ([`ci_instance_variable_${happened}`, INSTANCE, 'Ci::InstanceVariable'] as const);
  const verb = { created: 'Added', updated: 'Changed', deleted: 'Removed' }[happened];
  return {
    name,
    entity,
    target: { id, type, details: key },
    message: `${verb} ci variable ${key}`,
    more: {
      protected: row.protected === 1,
      masked: row.masked === 1,
      hidden: row.hidden === 1,
      environment_scope: row.environment_scope,
      variable_type: row.variable_type,
    },
  };
}
