import type { Kysely } from 'kysely';
import type { EventsTable } from './tables/events.ts';
import type { DomainEventsTable, InstanceValuesTable, JobsTable } from './tables/instance.ts';
import type {
  AwardEmojiTable,
  CrossReferencesTable,
  InternalIdsTable,
  IssuableAssigneesTable,
  IssuableLabelsTable,
  IssueLinksTable,
  IssuesTable,
  LabelPrioritiesTable,
  LabelsTable,
  MilestonesTable,
  SubscriptionsTable,
  TimeLogsTable,
  UserMentionsTable,
} from './tables/issues.ts';
import type {
  ApprovalRuleBranchesTable,
  ApprovalRuleGroupsTable,
  ApprovalRuleRolesTable,
  ApprovalRulesTable,
  ApprovalRuleUsersTable,
  ApprovalsTable,
  MergeRequestCommitsTable,
  MergeRequestDiffsTable,
  MergeRequestReviewersTable,
  MergeRequestsClosingIssuesTable,
  MergeRequestsTable,
} from './tables/merge-requests.ts';
import type {
  AccessRequestsTable,
  GroupLinksTable,
  MembersTable,
  NamespacesTable,
  RedirectRoutesTable,
} from './tables/namespaces.ts';
import type {
  DraftNotesTable,
  ExternalStatusCheckBranchesTable,
  ExternalStatusChecksTable,
  IssueUserAgentsTable,
  MergeRequestContextCommitsTable,
  ResourceEventsTable,
  StatusCheckResponsesTable,
  TodosTable,
} from './tables/planning.ts';
import type {
  CustomAttributesTable,
  ProjectLanguagesTable,
  ProjectStarsTable,
  ProjectsTable,
  ProjectTopicsTable,
  TopicsTable,
} from './tables/projects.ts';
import type {
  CommitStatusesTable,
  LfsLocksTable,
  LfsObjectsTable,
  NotesTable,
  PipelinesTable,
  ProtectedRefLevelsTable,
  ProtectedRefsTable,
  RefIntentsTable,
} from './tables/repositories.ts';
import type { SnippetsTable } from './tables/snippets.ts';
import type {
  BadgesTable,
  GpgKeyIdsTable,
  GpgKeysTable,
  GroupProtectedBranchesTable,
  GroupProtectedBranchLevelsTable,
  InvitationsTable,
  ProjectAliasesTable,
  UploadsTable,
  UserFollowsTable,
  UserPreferencesTable,
} from './tables/spaces.ts';
import type {
  AccessTokensTable,
  DeployKeyProjectsTable,
  DeployKeysTable,
  DeployTokensTable,
  OauthApplicationsTable,
  OauthTokensTable,
} from './tables/tokens.ts';
import type { EmailsTable, SshKeysTable, UserIdentitiesTable, UserStatusesTable, UsersTable } from './tables/users.ts';

/** Every table of the database, by name. */
export interface Schema {
  users: UsersTable;
  user_identities: UserIdentitiesTable;
  user_statuses: UserStatusesTable;
  emails: EmailsTable;
  ssh_keys: SshKeysTable;
  access_tokens: AccessTokensTable;
  oauth_applications: OauthApplicationsTable;
  oauth_tokens: OauthTokensTable;
  deploy_tokens: DeployTokensTable;
  deploy_keys: DeployKeysTable;
  deploy_key_projects: DeployKeyProjectsTable;
  namespaces: NamespacesTable;
  redirect_routes: RedirectRoutesTable;
  members: MembersTable;
  group_links: GroupLinksTable;
  access_requests: AccessRequestsTable;
  projects: ProjectsTable;
  topics: TopicsTable;
  project_topics: ProjectTopicsTable;
  project_languages: ProjectLanguagesTable;
  project_stars: ProjectStarsTable;
  custom_attributes: CustomAttributesTable;
  protected_refs: ProtectedRefsTable;
  protected_ref_levels: ProtectedRefLevelsTable;
  ref_intents: RefIntentsTable;
  notes: NotesTable;
  commit_statuses: CommitStatusesTable;
  pipelines: PipelinesTable;
  lfs_objects: LfsObjectsTable;
  lfs_locks: LfsLocksTable;
  internal_ids: InternalIdsTable;
  milestones: MilestonesTable;
  labels: LabelsTable;
  label_priorities: LabelPrioritiesTable;
  issues: IssuesTable;
  issue_links: IssueLinksTable;
  issuable_labels: IssuableLabelsTable;
  issuable_assignees: IssuableAssigneesTable;
  subscriptions: SubscriptionsTable;
  user_mentions: UserMentionsTable;
  cross_references: CrossReferencesTable;
  award_emoji: AwardEmojiTable;
  time_logs: TimeLogsTable;
  resource_events: ResourceEventsTable;
  todos: TodosTable;
  draft_notes: DraftNotesTable;
  issue_user_agents: IssueUserAgentsTable;
  merge_request_context_commits: MergeRequestContextCommitsTable;
  external_status_checks: ExternalStatusChecksTable;
  external_status_check_branches: ExternalStatusCheckBranchesTable;
  status_check_responses: StatusCheckResponsesTable;
  merge_requests: MergeRequestsTable;
  merge_request_diffs: MergeRequestDiffsTable;
  merge_request_commits: MergeRequestCommitsTable;
  merge_request_reviewers: MergeRequestReviewersTable;
  merge_requests_closing_issues: MergeRequestsClosingIssuesTable;
  approval_rules: ApprovalRulesTable;
  approval_rule_users: ApprovalRuleUsersTable;
  approval_rule_groups: ApprovalRuleGroupsTable;
  approval_rule_roles: ApprovalRuleRolesTable;
  approval_rule_branches: ApprovalRuleBranchesTable;
  approvals: ApprovalsTable;
  snippets: SnippetsTable;
  badges: BadgesTable;
  uploads: UploadsTable;
  group_protected_branches: GroupProtectedBranchesTable;
  group_protected_branch_levels: GroupProtectedBranchLevelsTable;
  invitations: InvitationsTable;
  user_follows: UserFollowsTable;
  user_preferences: UserPreferencesTable;
  gpg_keys: GpgKeysTable;
  gpg_key_ids: GpgKeyIdsTable;
  project_aliases: ProjectAliasesTable;
  events: EventsTable;
  domain_events: DomainEventsTable;
  jobs: JobsTable;
  instance_values: InstanceValuesTable;
}

/** A handle for queries: the database itself or, inside `transaction().execute(async (db) => ...)`, the transaction. */
export type Db = Kysely<Schema>;
