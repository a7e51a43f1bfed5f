import { admin, developer, guest, maintainer, NO_ROLE, owner, planner, type Rule, reporter } from './ability-rule.ts';

/** What labels and milestones are for. */
const ISSUABLES = ['issues', 'merge_requests'] as const;

/** What everyone does for themselves where they can see something: it changes nothing for others, archived or not. */
const OWN_LIST = { level: guest, openToUsers: true, writes: true, whenFrozen: 'kept' } as const;
/** What those who administer a project go on doing while it is archived. */
const ADMINISTERED = { level: maintainer, writes: true, whenFrozen: 'kept' } as const;
const OWNED = { level: owner, writes: true, whenFrozen: 'kept' } as const;

/** Pipelines and jobs: members see them, and others where the project lets them. */
const JOBS = { level: guest, open: true, feature: 'builds', withPrivateJobs: reporter } as const;
const RUN = {
  level: developer,
  feature: 'builds',
  writes: true,
  further: 'Where the ref is protected, those whom its protection lets push or merge',
} as const;

/** Who may do what in a project, in one place (part 1, section 5). */
export const PROJECT_RULES = {
  read_project: { level: guest, open: true },
  star_project: OWN_LIST,
  update_notification_settings: OWN_LIST,
  /** Any setting of it; a custom role can give those of merge requests alone. */
  configure_merge_requests: ADMINISTERED,
  update_project: ADMINISTERED,
  /** What the settings of a project show and hold beside what everyone sees. */
  admin_project: ADMINISTERED,
  /** Name, path and visibility; dates of what was done. */
  own_project: OWNED,
  archive_project: OWNED,
  remove_project: OWNED,
  transfer_project: OWNED,
  /** All that is in it, to be taken elsewhere. */
  export_project: ADMINISTERED,
  run_housekeeping: ADMINISTERED,
  read_statistics: { level: reporter },
  admin_badges: ADMINISTERED,
  upload_file: { level: guest, openToUsers: true, writes: true },
  admin_uploads: ADMINISTERED,

  read_members: { level: guest, open: true },
  admin_members: ADMINISTERED,
  remove_member: { ...ADMINISTERED, relations: { self: {} } },
  request_access: OWN_LIST,
  remove_access_request: { ...ADMINISTERED, relations: { author: {} } },
  share_project: ADMINISTERED,
  admin_deploy_keys: ADMINISTERED,
  admin_deploy_tokens: ADMINISTERED,
  admin_access_tokens: ADMINISTERED,
  rotate_own_access_token: { level: NO_ROLE, relations: { bearer: {} }, writes: true, whenFrozen: 'kept' },
  admin_service_accounts: ADMINISTERED,

  read_code: { level: reporter, open: true, feature: 'repository' },
  push_code: {
    level: developer,
    relations: { collaborator: { needs: 'read_code' } },
    feature: 'repository',
    writes: true,
    further: 'Where a branch or tag is protected, its protection decides',
  },
  /** A fork is a copy of the code. */
  fork_project: {
    level: reporter,
    openToUsers: true,
    feature: 'forking',
    needs: 'read_code',
    writes: true,
    whenFrozen: 'kept',
  },
  link_fork: OWNED,
  comment_on_commit: { level: guest, openToUsers: true, feature: 'repository', writes: true },
  read_commit_status: { level: reporter, open: true, feature: 'builds' },
  create_commit_status: {
    level: developer,
    feature: 'builds',
    writes: true,
    further: 'For a protected branch or tag, those whom its protection lets push or merge',
  },
  read_protected_refs: { level: developer },
  admin_protected_branches: ADMINISTERED,
  admin_protected_tags: ADMINISTERED,
  admin_push_rules: ADMINISTERED,

  read_pipeline: JOBS,
  read_environment: { ...JOBS, feature: 'environments' },
  create_pipeline: RUN,
  /** Retry, cancel and play it and its jobs. */
  update_pipeline: RUN,
  destroy_pipeline: { level: owner, feature: 'builds', writes: true },
  read_pipeline_variables: { level: maintainer, relations: { author: { level: developer } }, feature: 'builds' },
  erase_job: { level: maintainer, relations: { author: { level: developer } }, feature: 'builds', writes: true },
  /** Logs with everything that a job knows. */
  read_debug_log: { level: developer, feature: 'builds' },
  /** Artifacts that their job keeps from others. */
  read_developer_artifacts: { level: developer, feature: 'builds' },
  read_maintainer_artifacts: { level: maintainer, feature: 'builds' },
  keep_artifacts: { level: developer, feature: 'builds', writes: true },
  destroy_artifacts: { level: maintainer, feature: 'builds', writes: true },
  read_pipeline_schedule: { ...JOBS, level: reporter },
  create_pipeline_schedule: RUN,
  update_pipeline_schedule: {
    level: maintainer,
    relations: { author: { level: developer } },
    feature: 'builds',
    writes: true,
    further: 'Where the ref is protected, those whom its protection lets push or merge',
  },
  /** To become its owner: maintainers only, for it then runs with their rights. */
  take_pipeline_schedule: { level: maintainer, feature: 'builds', writes: true },
  admin_triggers: { level: maintainer, feature: 'builds', writes: true },
  /** The author is its owner, in whose name pipelines run. */
  update_trigger: { level: NO_ROLE, relations: { author: { level: maintainer } }, feature: 'builds', writes: true },
  admin_ci_variables: ADMINISTERED,
  admin_web_hook: ADMINISTERED,
  /** Other programs that it works with. */
  admin_integrations: ADMINISTERED,
  read_runners: { level: maintainer },
  /** What was changed in access, tokens, protection and settings, and by whom. */
  read_project_audit_events: { level: maintainer },
  /** What the caller changed themselves. */
  read_own_audit_events: { level: developer },
  admin_runners: ADMINISTERED,
  admin_job_token_scope: ADMINISTERED,
  create_environment: { level: developer, feature: 'environments', writes: true },
  update_environment: { level: developer, feature: 'environments', writes: true },
  stop_environment: { level: developer, feature: 'environments', writes: true },
  destroy_environment: { level: developer, feature: 'environments', writes: true },
  create_deployment: { level: developer, feature: 'environments', writes: true },
  update_deployment: { level: developer, feature: 'environments', writes: true },
  destroy_deployment: { level: maintainer, feature: 'environments', writes: true },
  read_freeze_period: { level: reporter, open: true, feature: 'builds' },
  admin_freeze_periods: { level: maintainer, feature: 'builds', writes: true },
  read_resource_group: { level: reporter, feature: 'builds' },
  update_resource_group: { level: developer, feature: 'builds', writes: true },

  read_package: { level: reporter, open: true, feature: 'package_registry' },
  create_package: {
    level: developer,
    deployScope: 'write_package_registry',
    feature: 'package_registry',
    writes: true,
  },
  destroy_package: {
    level: maintainer,
    deployScope: 'write_package_registry',
    feature: 'package_registry',
    writes: true,
    further: 'A protection rule can ask for a higher role',
  },
  admin_package_protection: { level: maintainer, feature: 'package_registry', writes: true },

  read_release: { level: guest, open: true, feature: 'releases' },
  create_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'Where the tag is protected, those whom its protection lets create it',
  },
  update_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'Where the tag is protected, those whom its protection lets create it',
  },
  destroy_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'Where the tag is protected, those whom its protection lets create it',
  },
  read_feature_flag: { level: developer, feature: 'feature_flags' },
  admin_feature_flag: { level: developer, feature: 'feature_flags', writes: true },
  read_terraform_state: { level: developer, feature: 'infrastructure' },
  admin_terraform_state: { level: maintainer, feature: 'infrastructure', writes: true },
  admin_pull_mirror: { level: maintainer, writes: true },
  admin_remote_mirror: { level: maintainer, writes: true },

  read_wiki: { level: guest, open: true, feature: 'wiki' },
  /** To clone it. */
  download_wiki: { level: planner, open: true, feature: 'wiki' },
  create_wiki: { level: developer, alsoAt: planner, feature: 'wiki', writes: true },
  admin_wiki: { level: maintainer, alsoAt: planner, feature: 'wiki', writes: true },

  read_issue: { level: guest, open: true, feature: 'issues' },
  /** Issues that are kept from guests, unless they wrote them or they are assigned to them. */
  read_confidential_issues: { level: planner, feature: 'issues' },
  create_issue: { level: guest, openToUsers: true, feature: 'issues', writes: true },
  /** Labels, people, milestone and dates of an issue at its making. */
  set_new_issue_metadata: { level: guest, feature: 'issues', writes: true },
  /** Title, description and state. */
  update_issue: {
    level: planner,
    relations: { author: {}, assignee: { level: guest } },
    feature: 'issues',
    writes: true,
  },
  /** All else of it: labels, people, milestone, times, place in the order, confidentiality, the project it is in. */
  admin_issue: { level: planner, feature: 'issues', writes: true },
  link_issues: {
    level: planner,
    relations: { author: { level: guest }, assignee: { level: guest } },
    feature: 'issues',
    writes: true,
  },
  destroy_issue: { level: owner, feature: 'issues', writes: true },
  follow_issue: { ...OWN_LIST, feature: 'issues' },

  create_note: { level: guest, openToUsers: true, writes: true, whenLocked: 'members' },
  update_note: {
    level: maintainer,
    relations: { author: { needs: 'create_note' } },
    writes: true,
    whenLocked: 'members',
  },
  read_internal_note: { level: planner },
  /** The author is that of what is discussed. */
  resolve_note: {
    level: developer,
    relations: { author: { needs: 'create_note' } },
    writes: true,
    whenLocked: 'members',
  },
  award_emoji: { level: guest, openToUsers: true, writes: true, whenLocked: 'members' },
  revoke_emoji: { level: admin, relations: { author: {} }, writes: true },
  read_label: { level: guest, open: true, feature: ISSUABLES },
  admin_label: { level: planner, feature: ISSUABLES, writes: true },
  follow_label: { ...OWN_LIST, feature: ISSUABLES },
  read_milestone: { level: guest, open: true, feature: ISSUABLES },
  admin_milestone: { level: planner, feature: ISSUABLES, writes: true },

  read_merge_request: { level: reporter, open: true, feature: 'merge_requests' },
  create_merge_request_from: { level: developer, feature: 'repository', writes: true },
  create_merge_request_in: { level: reporter, openToUsers: true, feature: 'merge_requests', writes: true },
  update_merge_request: {
    level: developer,
    relations: { author: { needs: 'create_merge_request_in' }, assignee: { needs: 'create_merge_request_in' } },
    feature: 'merge_requests',
    writes: true,
  },
  /** Labels, people, milestone, times and context commits of it. */
  admin_merge_request: { level: developer, feature: 'merge_requests', writes: true },
  destroy_merge_request: { level: owner, feature: 'merge_requests', writes: true },
  follow_merge_request: { ...OWN_LIST, level: reporter, feature: 'merge_requests' },
  merge_merge_request: {
    level: developer,
    feature: 'repository',
    writes: true,
    further: 'Where the target branch is protected, its protection decides',
  },
  cancel_automatic_merge: {
    level: developer,
    relations: { author: {} },
    writes: true,
    whenFrozen: 'kept',
    further: 'Where the target branch is protected, its protection decides who else',
  },
  rebase_merge_request: {
    level: guest,
    openToUsers: true,
    writes: true,
    whenFrozen: 'kept',
    further: 'It takes the right to push to the source branch, in the project that it is in',
  },
  approve_merge_request: {
    level: guest,
    openToUsers: true,
    feature: 'merge_requests',
    writes: true,
    further: 'Of them those whom the approval rules and settings of the project let approve',
  },
  reset_approvals: {
    level: developer,
    feature: 'merge_requests',
    writes: true,
    further: 'Of them the bots of project and group tokens',
  },
  admin_merge_request_rules: {
    level: developer,
    relations: { author: { level: reporter, needs: 'create_merge_request_in' } },
    feature: 'merge_requests',
    writes: true,
    further: 'Where the project lets merge requests have approval rules of their own',
  },
  update_draft_note: {
    level: NO_ROLE,
    relations: { author: { needs: 'create_note' } },
    writes: true,
    whenLocked: 'members',
  },
  /** Changing or resolving a note of a thread: of the body depends which of both it takes. */
  change_thread_note: {
    level: developer,
    relations: { author: { needs: 'create_note' } },
    writes: true,
    whenLocked: 'members',
  },
  discard_draft_note: { level: NO_ROLE, relations: { author: {} }, writes: true, whenFrozen: 'kept' },
  respond_to_status_checks: { level: developer, feature: 'merge_requests', writes: true },
  admin_status_checks: ADMINISTERED,
  read_approval_config: { level: maintainer },
  read_approval_rules: { level: developer, feature: 'merge_requests' },
  admin_approval_rules: { level: maintainer, feature: 'merge_requests', writes: true },

  read_snippet: { level: guest, open: true, feature: 'snippets' },
  create_snippet: { level: reporter, feature: 'snippets', writes: true },
  update_snippet: {
    level: maintainer,
    relations: { author: { needs: 'create_snippet' } },
    feature: 'snippets',
    writes: true,
  },
} as const satisfies Record<string, Rule>;
export type ProjectAbility = keyof typeof PROJECT_RULES;
