import { notFound } from '../../../core/core.errors.ts';
import { route } from '../../../http/http.route.ts';
import { Nullable } from '../../../http/http.schema.ts';
import { ownPushRule, pushRuleOf } from '../../../repositories/push-rules/effective-push-rule.ts';
import { inGroup, inProject } from '../../api.access.ts';
import { NAMES, PushRuleInput } from './push-rules.inputs.ts';
import { GroupPushRule, ProjectPushRule } from './push-rules.responses.ts';
import { presentGroupRule, presentProjectRule } from './push-rules.views.ts';
import { createPushRule, removePushRule, updatePushRule } from './push-rules.writes.ts';

const GROUP = '/groups/:id/push_rule';
const PROJECT = '/projects/:id/push_rule';
const owner = inGroup('admin_group_push_rules');
const maintainer = inProject('admin_push_rules');
const input = PushRuleInput;
const rules = { atLeastOne: [NAMES] };

const groupRoutes = [
  route({
    method: 'GET',
    path: GROUP,
    plan: 'premium',
    summary: 'Get the push rule of a group',
    access: owner,
    success: { status: 200, schema: GroupPushRule },
    errors: [404],
    handler: async ({ deps, group }) => {
      const rule = await ownPushRule(deps.db, 'group', group.id);
      if (rule === undefined) throw notFound();
      return presentGroupRule(rule);
    },
  }),
  route({
    method: 'POST',
    path: GROUP,
    plan: 'premium',
    summary: 'Create the push rule of a group',
    description:
      'Applies to all projects of the group and its subgroups without a push rule of their own or of a closer group.',
    access: owner,
    input,
    rules,
    success: { status: 201, schema: GroupPushRule },
    errors: [422],
    handler: async ({ deps, caller, group, input }) =>
      presentGroupRule(await createPushRule(deps, caller, { type: 'group', id: group.id }, input)),
  }),
  route({
    method: 'PUT',
    path: GROUP,
    plan: 'premium',
    summary: 'Update the push rule of a group',
    access: owner,
    input,
    rules,
    success: { status: 200, schema: GroupPushRule },
    errors: [404],
    handler: async ({ deps, caller, group, input }) =>
      presentGroupRule(await updatePushRule(deps, caller, { type: 'group', id: group.id }, input)),
  }),
  route({
    method: 'DELETE',
    path: GROUP,
    plan: 'premium',
    summary: 'Delete the push rule of a group',
    access: owner,
    success: { status: 204, empty: true },
    errors: [404],
    handler: ({ deps, caller, group }) => removePushRule(deps, caller, { type: 'group', id: group.id }),
  }),
];

const projectRoutes = [
  route({
    method: 'GET',
    path: PROJECT,
    plan: 'premium',
    summary: 'Get the push rule of a project',
    description:
      'The effective push rule: of the project, else of the nearest ancestor group with one; `null` for none.',
    access: maintainer,
    success: { status: 200, schema: Nullable(ProjectPushRule) },
    handler: async ({ deps, project }) => {
      const rule = await pushRuleOf(deps.db, project.id);
      return rule === undefined ? null : presentProjectRule(rule, project.id);
    },
  }),
  route({
    method: 'POST',
    path: PROJECT,
    plan: 'premium',
    summary: 'Create the push rule of a project',
    description: 'Overrides the push rules of ancestor groups.',
    access: maintainer,
    input,
    rules,
    success: { status: 201, schema: ProjectPushRule },
    errors: [422],
    handler: async ({ deps, caller, project, input }) =>
      presentProjectRule(await createPushRule(deps, caller, { type: 'project', id: project.id }, input), project.id),
  }),
  route({
    method: 'PUT',
    path: PROJECT,
    plan: 'premium',
    summary: 'Update the push rule of a project',
    description: 'If the rule is inherited from a group, the project gets a changed copy.',
    access: maintainer,
    input,
    rules,
    success: { status: 200, schema: ProjectPushRule },
    errors: [404],
    handler: async ({ deps, caller, project, input }) =>
      presentProjectRule(await updatePushRule(deps, caller, { type: 'project', id: project.id }, input), project.id),
  }),
  route({
    method: 'DELETE',
    path: PROJECT,
    plan: 'premium',
    summary: 'Delete the push rule of a project',
    description: 'Push rules of ancestor groups apply again.',
    access: maintainer,
    success: { status: 204, empty: true },
    errors: [404],
    handler: ({ deps, caller, project }) => removePushRule(deps, caller, { type: 'project', id: project.id }),
  }),
];

/** Push rules of groups and projects (part 2, section 4.6). */
export const pushRuleRoutes = [...groupRoutes, ...projectRoutes];
