/** Who has an ability that is about no project and no group. */
export type InstanceRole = 'anyone' | 'user' | 'person' | 'internal_user' | 'administrator';

export interface InstanceRule {
  /**
   * `user`: whoever is signed in; `person`: of them all but the bots of project and group tokens, for what would outlive
   * the token; `internal_user`: of them all but external ones.
   */
  role: InstanceRole;
  /** Also granted to those whose own the object is. */
  relations?: { owner: object };
  /** It changes something. */
  writes?: true;
  /** Of what belongs to the caller themselves. */
  own?: true;
  /** What decides beside this table: for the document. */
  further?: string;
}

const OWN = { role: 'user', own: true, writes: true } as const;
const BY_PERSONS = { role: 'person', own: true, writes: true } as const;
const ADMINISTERED = { role: 'administrator', writes: true } as const;

/** Who may do what on the server outside projects and groups, in one place. */
export const INSTANCE_RULES = {
  request_oauth_token: { role: 'anyone', writes: true, further: 'The grant or the client proves who asks' },
  revoke_oauth_token: { role: 'anyone', writes: true, further: 'The client proves that the token is its own' },
  run_chat_command: {
    role: 'anyone',
    writes: true,
    further:
      'The token of the integration proves which chat it is, and the user that was linked to the account does what is asked',
  },
  unsubscribe_by_mail: { role: 'anyone', writes: true, further: 'The key of the mail proves for whom' },
  update_own_account: OWN,
  create_own_email: BY_PERSONS,
  remove_own_email: OWN,
  create_own_key: BY_PERSONS,
  remove_own_key: OWN,
  link_own_chat_name: BY_PERSONS,
  remove_own_chat_name: OWN,
  create_own_token: BY_PERSONS,
  /** The token that the request is made with. */
  manage_own_token: OWN,
  read_token: { role: 'administrator', relations: { owner: {} } },
  manage_token: { role: 'administrator', relations: { owner: {} }, writes: true },
  follow_user: { role: 'user', writes: true },
  update_own_todos: OWN,
  create_project: { role: 'user', writes: true, further: 'In a group or namespace that lets them' },
  create_group: { role: 'user', writes: true, further: 'Below a group, those whom it lets' },
  /** What somebody of another server wrote, and the caller is asked about. */
  answer_reassignment: BY_PERSONS,
  import_from_server: { role: 'person', writes: true, further: 'Into a group or namespace that lets them' },
  create_personal_snippet: { role: 'internal_user', writes: true },
  update_personal_snippet: { role: 'administrator', relations: { owner: {} }, writes: true },
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
  create_runner: { role: 'person', writes: true, further: 'Of a project or group those who administer its runners' },
  read_runner: {
    role: 'administrator',
    relations: { owner: {} },
    further: 'Its owners are the Maintainers of its projects or its group; a runner of the server every user may see',
  },
  update_runner: {
    role: 'administrator',
    relations: { owner: {} },
    writes: true,
    further: 'Its owners are the Maintainers of its projects, or the Owners of its group',
  },
  register_runner: { role: 'anyone', writes: true, further: 'A token proves who asks' },
  trigger_pipeline: {
    role: 'anyone',
    writes: true,
    further: 'The token of a trigger, or of a job that runs, proves who asks',
  },
  run_jobs: { role: 'anyone', writes: true, further: 'The token of the runner or of the job proves who asks' },
  admin_settings: ADMINISTERED,
  admin_broadcast_messages: ADMINISTERED,
  read_audit_events: { role: 'administrator' },
  admin_security_policies: ADMINISTERED,
} as const satisfies Record<string, InstanceRule>;
export type InstanceAbility = keyof typeof INSTANCE_RULES;
