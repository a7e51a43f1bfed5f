/** Roles outside projects and groups. */
export type InstanceRole = 'anyone' | 'user' | 'person' | 'internal_user' | 'administrator';

export interface InstanceRule {
  /**
   * `user`: every signed-in user; `person`: users except bots of project and group tokens, for objects that outlive the
   * token; `internal_user`: users except external ones.
   */
  role: InstanceRole;
  /** Also granted to the owner of the object. */
  relations?: { owner: object };
  /** Changes something. */
  writes?: true;
  /** Applies to the caller's own data. */
  own?: true;
  /** Further conditions outside this table, for the document. */
  further?: string;
}

const OWN = { role: 'user', own: true, writes: true } as const;
const BY_PERSONS = { role: 'person', own: true, writes: true } as const;
const ADMINISTERED = { role: 'administrator', writes: true } as const;

/** Abilities outside projects and groups. */
export const INSTANCE_RULES = {
  request_oauth_token: { role: 'anyone', writes: true, further: 'The grant or the client authenticates the request' },
  revoke_oauth_token: { role: 'anyone', writes: true, further: 'The token must belong to the client' },
  run_chat_command: {
    role: 'anyone',
    writes: true,
    further:
      'The token of the integration identifies the chat; the command runs as the user linked to the chat account',
  },
  unsubscribe_by_mail: { role: 'anyone', writes: true, further: 'The key in the mail identifies the recipient' },
  update_own_account: OWN,
  create_own_email: BY_PERSONS,
  remove_own_email: OWN,
  create_own_key: BY_PERSONS,
  remove_own_key: OWN,
  link_own_chat_name: BY_PERSONS,
  remove_own_chat_name: OWN,
  create_own_token: BY_PERSONS,
  /** The token that authenticates the request. */
  manage_own_token: OWN,
  read_token: { role: 'administrator', relations: { owner: {} } },
  manage_token: { role: 'administrator', relations: { owner: {} }, writes: true },
  follow_user: { role: 'user', writes: true },
  update_own_todos: OWN,
  create_project: { role: 'user', writes: true, further: 'The group or namespace must allow it' },
  create_group: { role: 'user', writes: true, further: 'In a group: users whom it allows to create subgroups' },
  /** Contributions imported from another server that the caller is asked to accept. */
  answer_reassignment: BY_PERSONS,
  import_from_server: { role: 'person', writes: true, further: 'The target group or namespace must allow it' },
  create_personal_snippet: { role: 'internal_user', writes: true },
  update_personal_snippet: { role: 'administrator', relations: { owner: {} }, writes: true },
  /** Exists only with the test bench. */
  use_test_bench: ADMINISTERED,
  admin_users: ADMINISTERED,
  admin_user_tokens: ADMINISTERED,
  admin_instance_service_accounts: ADMINISTERED,
  admin_applications: ADMINISTERED,
  admin_custom_attributes: ADMINISTERED,
  admin_instance_deploy_keys: ADMINISTERED,
  admin_license: ADMINISTERED,
  admin_member_roles: ADMINISTERED,
  admin_project_aliases: ADMINISTERED,
  admin_projects: ADMINISTERED,
  admin_storage_moves: ADMINISTERED,
  admin_system_hooks: ADMINISTERED,
  admin_topics: ADMINISTERED,
  admin_instance_runners: ADMINISTERED,
  admin_instance_ci_variables: ADMINISTERED,
  apply_suggestion: {
    role: 'user',
    writes: true,
    further: 'Requires the right to push to the source branch of the merge request',
  },
  create_runner: {
    role: 'person',
    writes: true,
    further: 'In a project or group: users who may administer its runners',
  },
  read_runner: {
    role: 'administrator',
    relations: { owner: {} },
    further: 'Its owners are the Maintainers of its projects or its group. Instance runners: every user',
  },
  update_runner: {
    role: 'administrator',
    relations: { owner: {} },
    writes: true,
    further: 'Its owners are the Maintainers of its projects, or the Owners of its group',
  },
  register_runner: { role: 'anyone', writes: true, further: 'A registration token authenticates the request' },
  trigger_pipeline: {
    role: 'anyone',
    writes: true,
    further: 'A trigger token, or the token of a running job, authenticates the request',
  },
  run_jobs: { role: 'anyone', writes: true, further: 'The token of the runner or the job authenticates the request' },
  admin_settings: ADMINISTERED,
  admin_broadcast_messages: ADMINISTERED,
  read_audit_events: { role: 'administrator' },
  admin_security_policies: ADMINISTERED,
} as const satisfies Record<string, InstanceRule>;
export type InstanceAbility = keyof typeof INSTANCE_RULES;
