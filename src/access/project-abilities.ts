import { admin, developer, guest, maintainer, NO_ROLE, owner, planner, type Rule, reporter } from './ability-rule.ts';

/** The objects that labels and milestones are used on. */
const ISSUABLES = ['issues', 'merge_requests'] as const;

/**
 * Personal actions of everyone who can see the project; allowed while it is archived because they change nothing for
 * others.
 */
const OWN_LIST = { level: guest, openToUsers: true, writes: true, whenFrozen: 'kept' } as const;
/** Administration of a project, which is allowed while it is archived. */
const ADMINISTERED = { level: maintainer, writes: true, whenFrozen: 'kept' } as const;
const OWNED = { level: owner, writes: true, whenFrozen: 'kept' } as const;

/** Pipelines and jobs: visible to members, and to others if the project allows it. */
const JOBS = { level: guest, open: true, feature: 'builds', withPrivateJobs: reporter } as const;
const RUN = {
  level: developer,
  feature: 'builds',
  writes: true,
  further: 'On a protected ref: users whom its protection allows to push or merge',
} as const;

/** Abilities in a project (part 1, section 5). */
export const PROJECT_RULES = {
  read_project: { level: guest, open: true },
  star_project: OWN_LIST,
  update_notification_settings: OWN_LIST,
  /** Also granted by custom roles: settings of merge requests only. */
  configure_merge_requests: ADMINISTERED,
  update_project: ADMINISTERED,
  /** Settings that not everyone who can see the project may read. */
  admin_project: ADMINISTERED,
  /** Name, path, visibility and dates. */
  own_project: OWNED,
  archive_project: OWNED,
  remove_project: OWNED,
  transfer_project: OWNED,
  /** Exports of the project with its content. */
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
    further: 'On a protected branch or tag: its protection decides',
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
    further: 'On a protected branch or tag: users whom its protection allows to push or merge',
  },
  read_protected_refs: { level: developer },
  admin_protected_branches: ADMINISTERED,
  admin_protected_tags: ADMINISTERED,
  admin_push_rules: ADMINISTERED,

  read_pipeline: JOBS,
  read_environment: { ...JOBS, feature: 'environments' },
  create_pipeline: RUN,
  /** Retry, cancel and play a pipeline and its jobs. */
  update_pipeline: RUN,
  destroy_pipeline: { level: owner, feature: 'builds', writes: true },
  read_pipeline_variables: { level: maintainer, relations: { author: { level: developer } }, feature: 'builds' },
  erase_job: { level: maintainer, relations: { author: { level: developer } }, feature: 'builds', writes: true },
  /** Logs of jobs with debug output. */
  read_debug_log: { level: developer, feature: 'builds' },
  /** Artifacts that the job restricts to developers. */
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
    further: 'On a protected ref: users whom its protection allows to push or merge',
  },
  /** Taking ownership: Maintainers only, because the schedule then runs with their rights. */
  take_pipeline_schedule: { level: maintainer, feature: 'builds', writes: true },
  admin_triggers: { level: maintainer, feature: 'builds', writes: true },
  /** The author is the owner, as whom pipelines run. */
  update_trigger: { level: NO_ROLE, relations: { author: { level: maintainer } }, feature: 'builds', writes: true },
  admin_ci_variables: ADMINISTERED,
  admin_web_hook: ADMINISTERED,
  /** Integrations of the project. */
  admin_integrations: ADMINISTERED,
  read_runners: { level: maintainer },
  /** All audit events of the project. */
  read_project_audit_events: { level: maintainer },
  /** Audit events of the caller's own changes. */
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
    further: 'A protection rule may require a higher role',
  },
  admin_package_protection: { level: maintainer, feature: 'package_registry', writes: true },

  read_release: { level: guest, open: true, feature: 'releases' },
  create_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'For a protected tag: users whom its protection allows to create it',
  },
  update_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'For a protected tag: users whom its protection allows to create it',
  },
  destroy_release: {
    level: developer,
    feature: 'releases',
    writes: true,
    further: 'For a protected tag: users whom its protection allows to create it',
  },
  read_feature_flag: { level: developer, feature: 'feature_flags' },
  admin_feature_flag: { level: developer, feature: 'feature_flags', writes: true },
  read_terraform_state: { level: developer, feature: 'infrastructure' },
  admin_terraform_state: { level: maintainer, feature: 'infrastructure', writes: true },
  admin_pull_mirror: { level: maintainer, writes: true },
  admin_remote_mirror: { level: maintainer, writes: true },

  read_wiki: { level: guest, open: true, feature: 'wiki' },
  /** Cloning it. */
  download_wiki: { level: planner, open: true, feature: 'wiki' },
  create_wiki: { level: developer, alsoAt: planner, feature: 'wiki', writes: true },
  admin_wiki: { level: maintainer, alsoAt: planner, feature: 'wiki', writes: true },

  read_issue: { level: guest, open: true, feature: 'issues' },
  /** Confidential issues other than those written by or assigned to the caller. */
  read_confidential_issues: { level: planner, feature: 'issues' },
  create_issue: { level: guest, openToUsers: true, feature: 'issues', writes: true },
  /** Labels, assignees, milestone and dates of a new issue. */
  set_new_issue_metadata: { level: guest, feature: 'issues', writes: true },
  /** Title, description and state. */
  update_issue: {
    level: planner,
    relations: { author: {}, assignee: { level: guest } },
    feature: 'issues',
    writes: true,
  },
  /** Everything else: labels, assignees, milestone, time tracking, position, confidentiality, moves. */
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
  /** `author` is the author of the discussed object. */
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
  /** Labels, assignees, reviewers, milestone, time tracking and context commits. */
  admin_merge_request: { level: developer, feature: 'merge_requests', writes: true },
  destroy_merge_request: { level: owner, feature: 'merge_requests', writes: true },
  follow_merge_request: { ...OWN_LIST, level: reporter, feature: 'merge_requests' },
  merge_merge_request: {
    level: developer,
    feature: 'repository',
    writes: true,
    further: 'On a protected target branch: its protection decides',
  },
  cancel_automatic_merge: {
    level: developer,
    relations: { author: {} },
    writes: true,
    whenFrozen: 'kept',
    further: 'On a protected target branch: its protection decides who else may',
  },
  rebase_merge_request: {
    level: guest,
    openToUsers: true,
    writes: true,
    whenFrozen: 'kept',
    further: 'Also requires the right to push to the source branch in its project',
  },
  approve_merge_request: {
    level: guest,
    openToUsers: true,
    feature: 'merge_requests',
    writes: true,
    further: 'Only users whom the approval rules and settings of the project allow to approve',
  },
  reset_approvals: {
    level: developer,
    feature: 'merge_requests',
    writes: true,
    further: 'Only bots of project and group tokens',
  },
  admin_merge_request_rules: {
    level: developer,
    relations: { author: { level: reporter, needs: 'create_merge_request_in' } },
    feature: 'merge_requests',
    writes: true,
    further: 'Only if the project allows approval rules in merge requests',
  },
  update_draft_note: {
    level: NO_ROLE,
    relations: { author: { needs: 'create_note' } },
    writes: true,
    whenLocked: 'members',
  },
  /** Changing or resolving a note of a thread: the body decides which of the two abilities is needed. */
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
