import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../http/conditional.ts';
import { type Route, route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inProject } from '../../api.access.ts';
import { changedRule, newRule, RuleId } from './protection-rules.inputs.ts';
import { PackageProtectionRule, presentRule } from './protection-rules.responses.ts';
import { createRule, findRule, removeRule, rulesOf, updateRule } from './protection-rules.writes.ts';

const shared = {
  tag: 'Packages',
  access: inProject('admin_package_protection'),
} as const;
const ALL = '/projects/:id/packages/protection/rules';
const ONE = `${ALL}/:package_protection_rule_id`;

/** Rules that require higher roles for packages than the default. */
export const protectionRuleRoutes: readonly Route[] = [
  route({
    ...shared,
    method: 'GET',
    path: ALL,
    operationId: 'listProjectPackageProtectionRules',
    summary: 'List the package protection rules of a project',
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(PackageProtectionRule) },
    handler: (c) => c.page(rulesOf(c.deps.db, c.project.id), (rows) => rows.map(presentRule)),
  }),
  route({
    ...shared,
    method: 'POST',
    path: ALL,
    operationId: 'createProjectPackageProtectionRule',
    summary: 'Create a package protection rule',
    input: newRule,
    rules: { atLeastOne: [['minimum_access_level_for_push', 'minimum_access_level_for_delete']] },
    success: { status: 201, schema: PackageProtectionRule },
    errors: [422],
    handler: async ({ deps, caller, project, input }) => presentRule(await createRule(deps, caller, project.id, input)),
  }),
  route({
    ...shared,
    method: 'PATCH',
    path: ONE,
    operationId: 'updateProjectPackageProtectionRule',
    summary: 'Update a package protection rule',
    params: RuleId,
    input: changedRule,
    success: { status: 200, schema: PackageProtectionRule },
    errors: [422],
    handler: async ({ deps, caller, project, params, input }) => {
      const rule = await findRule(deps.db, project.id, params.package_protection_rule_id);
      return presentRule(await updateRule(deps, caller, rule, input));
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: ONE,
    operationId: 'deleteProjectPackageProtectionRule',
    summary: 'Delete a package protection rule',
    params: RuleId,
    success: { status: 204, empty: true },
    errors: [412],
    handler: async ({ deps, caller, project, params, request }) => {
      const rule = await findRule(deps.db, project.id, params.package_protection_rule_id);
      await removeRule(deps, caller, rule, ({ updated_at }) => checkUnmodifiedSince(request, updated_at));
    },
  }),
];
