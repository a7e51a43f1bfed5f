import { sql } from 'kysely';
import { Type } from 'typebox';
import { checkUnmodifiedSince } from '../../../../http/conditional.ts';
import { route } from '../../../../http/http.route.ts';
import { pagination } from '../../../../http/http.schema.ts';
import { inProjectByUser } from '../../../api.access.ts';
import { createProjectRule, deleteProjectRule, findProjectRule, updateProjectRule } from './approvals.project-rules.ts';
import { CreateProjectRule, UpdateProjectRule } from './approvals.rule-inputs.ts';
import { ProjectRule } from './approvals.rule-responses.ts';
import { presentProjectRules } from './approvals.rule-views.ts';
import { withDetails } from './rule-store.ts';

/** Position of a rule in lists, by type: `TYPE_ORDER`, restricted to types of project rules. */
const placeOfType = sql`case rule_type when 'any_approver' then 0 when 'regular' then 1 else 2 end`;

const PATH = '/projects/:id/approval_rules';
const ONE = `${PATH}/:approval_rule_id`;
const params = Type.Object({ approval_rule_id: Type.Integer() });
const readers = inProjectByUser('read_approval_rules');
const admins = inProjectByUser('admin_approval_rules');

export const projectRuleRoutes = [
  route({
    method: 'GET',
    path: PATH,
    plan: 'premium',
    summary: 'List the approval rules of a project',
    access: readers,
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(ProjectRule) },
    handler: (c) => {
      const query = c.deps.db
        .selectFrom('approval_rules')
        .selectAll()
        .where('project_id', '=', c.project.id)
        .where('merge_request_id', 'is', null)
        .orderBy(placeOfType)
        .orderBy('id');
      return c.page(query, async (rows) =>
        presentProjectRules(c.deps, c.caller, c.project.id, await withDetails(c.deps.db, rows)),
      );
    },
  }),
  route({
    method: 'GET',
    path: ONE,
    plan: 'premium',
    summary: 'Get an approval rule of a project',
    access: readers,
    params,
    success: { status: 200, schema: ProjectRule },
    errors: [404],
    handler: async ({ deps, caller, project, params }) => {
      const rule = await findProjectRule(deps.db, project.id, params.approval_rule_id);
      return (await presentProjectRules(deps, caller, project.id, [rule]))[0];
    },
  }),
  route({
    method: 'POST',
    path: PATH,
    plan: 'premium',
    summary: 'Create an approval rule of a project',
    access: admins,
    input: CreateProjectRule,
    success: { status: 201, schema: ProjectRule },
    handler: async ({ deps, caller, project, input }) => {
      const rule = await createProjectRule(deps, caller, project.id, input);
      return (await presentProjectRules(deps, caller, project.id, [rule]))[0];
    },
  }),
  route({
    method: 'PUT',
    path: ONE,
    plan: 'premium',
    summary: 'Change an approval rule of a project',
    access: admins,
    params,
    input: UpdateProjectRule,
    success: { status: 200, schema: ProjectRule },
    errors: [404],
    handler: async ({ deps, caller, project, params, input }) => {
      const rule = await findProjectRule(deps.db, project.id, params.approval_rule_id);
      const changed = await updateProjectRule(deps, caller, rule, input);
      return (await presentProjectRules(deps, caller, project.id, [changed]))[0];
    },
  }),
  route({
    method: 'DELETE',
    path: ONE,
    plan: 'premium',
    summary: 'Delete an approval rule of a project',
    access: admins,
    params,
    success: { status: 204, empty: true },
    errors: [404, 412],
    handler: async ({ deps, caller, project, params, request }) => {
      const rule = await findProjectRule(deps.db, project.id, params.approval_rule_id);
      checkUnmodifiedSince(request, rule.updated_at);
      await deleteProjectRule(deps, caller, rule);
    },
  }),
];
