import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Custom roles: what each permission gives. */
export const memberRoleWords: Vocabulary['entries'] = {
  base_access_level: ['Level of the role that it adds to.', 10],
  member_role: ['Custom role of the membership, where it has one.'],
  admin_cicd_variables: ['Whether CI/CD variables of groups and projects can be read and changed.', false],
  admin_compliance_framework: ['Whether compliance frameworks can be administered.', false],
  admin_group_member: [
    'Whether members of groups can be added, changed and removed, up to what one has oneself.',
    false,
  ],
  admin_integrations: ['Whether integrations of groups and projects can be set up.', false],
  admin_merge_request: ['Whether merge requests can be seen, approved and merged.', false],
  admin_push_rules: ['Whether push rules can be set.', false],
  admin_terraform_state: ['Whether states of Terraform can be read, locked and changed.', false],
  admin_vulnerability: ['Whether vulnerabilities can be changed.', false],
  admin_web_hook: ['Whether webhooks can be administered.', false],
  archive_project: ['Whether projects can be archived and unarchived.', false],
  manage_deploy_tokens: ['Whether deploy tokens can be administered.', false],
  manage_group_access_tokens: [
    'Whether access tokens of groups can be administered, up to what one has oneself.',
    false,
  ],
  manage_merge_request_settings: ['Whether settings of merge requests and approval rules can be changed.', false],
  manage_project_access_tokens: [
    'Whether access tokens of projects can be administered, up to what one has oneself.',
    false,
  ],
  manage_security_policy_link: ['Whether projects with security policies can be linked.', false],
  read_code: ['Whether code can be read and cloned.', true],
  read_runners: ['Whether runners of groups and projects can be seen.', false],
  read_dependency: ['Whether dependencies can be seen.', false],
  read_vulnerability: ['Whether vulnerabilities can be seen.', false],
  remove_group: ['Whether groups below the top-level one can be deleted and restored.', false],
  remove_project: ['Whether projects can be deleted and restored.', false],
};
