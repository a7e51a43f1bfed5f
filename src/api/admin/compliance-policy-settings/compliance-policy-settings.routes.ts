import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { Nullable } from '../../../http/http.schema.ts';
import { administrator, onServer } from '../../api.access.ts';
import { policyGroup, setPolicyGroup } from './compliance-policy-settings.writes.ts';

const settings = { csp_namespace_id: Nullable(Type.Integer()) };
const CompliancePolicySettings = Type.Object(settings);
const path = '/admin/security/compliance_policy_settings';
const plan = 'ultimate';

/** The group that manages the security policies of the installation (part 2, section 4.10). */
export const compliancePolicySettingsRoutes = [
  route({
    method: 'GET',
    path,
    summary: 'Get the settings of security policies',
    access: administrator,
    plan,
    success: { status: 200, schema: CompliancePolicySettings },
    handler: async ({ deps }) => ({ csp_namespace_id: await policyGroup(deps.db) }),
  }),
  route({
    method: 'PUT',
    path,
    summary: 'Change the settings of security policies',
    access: onServer('admin_security_policies'),
    plan,
    input: Type.Object(settings),
    success: { status: 200, schema: CompliancePolicySettings },
    errors: [400, 422],
    handler: async ({ deps, input: { csp_namespace_id } }) => {
      await setPolicyGroup(deps, csp_namespace_id);
      return { csp_namespace_id };
    },
  }),
];
