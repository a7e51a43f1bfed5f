import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by custom roles: the permissions. */
export const memberRoleWords: Vocabulary['entries'] = {
  base_access_level: ['Access level that the role extends.', 10],
  member_role: ['Custom role of the member, if any.'],
  admin_cicd_variables: ['Whether members can read and change CI/CD variables of groups and projects.', false],
  admin_compliance_framework: ['Whether members can administer compliance frameworks.', false],
  admin_group_member: [
    'Whether members can add, change and remove group members, up to their own access level.',
    false,
  ],
  admin_integrations: ['Whether members can configure integrations of groups and projects.', false],
  admin_merge_request: ['Whether members can view, approve and merge merge requests.', false],
  admin_push_rules: ['Whether members can configure push rules.', false],
  admin_terraform_state: ['Whether members can read, lock and change Terraform states.', false],
  admin_vulnerability: ['Whether members can change vulnerabilities.', false],
  admin_web_hook: ['Whether members can administer webhooks.', false],
  archive_project: ['Whether members can archive and unarchive projects.', false],
  manage_deploy_tokens: ['Whether members can administer deploy tokens.', false],
  manage_group_access_tokens: [
    'Whether members can administer group access tokens, up to their own access level.',
    false,
  ],
  manage_merge_request_settings: ['Whether members can change merge request settings and approval rules.', false],
  manage_project_access_tokens: [
    'Whether members can administer project access tokens, up to their own access level.',
    false,
  ],
  manage_security_policy_link: ['Whether members can link security policy projects.', false],
  read_code: ['Whether members can read and clone code.', true],
  read_runners: ['Whether members can view runners of groups and projects.', false],
  read_dependency: ['Whether members can view dependencies.', false],
  read_vulnerability: ['Whether members can view vulnerabilities.', false],
  remove_group: ['Whether members can delete and restore subgroups.', false],
  remove_project: ['Whether members can delete and restore projects.', false],
};
