import type { Schema } from './db.schema.ts';
import type { Ownership } from './ownership.ts';
import { accessRequestsOwnership } from './tables/access-requests.table.ts';
import { accessTokensOwnership } from './tables/access-tokens.table.ts';
import { approvalRulesOwnership } from './tables/approval-rules.table.ts';
import { auditEventsOwnership } from './tables/audit-events.table.ts';
import { awardEmojiOwnership } from './tables/award-emoji.table.ts';
import { broadcastMessagesOwnership } from './tables/broadcast-messages.table.ts';
import { bulkImportEntitiesOwnership } from './tables/bulk-import-entities.table.ts';
import { ciJobArtifactsOwnership } from './tables/ci-job-artifacts.table.ts';
import { ciPipelineScheduleVariablesOwnership } from './tables/ci-pipeline-schedule-variables.table.ts';
import { ciPipelineVariablesOwnership } from './tables/ci-pipeline-variables.table.ts';
import { ciRunnersOwnership } from './tables/ci-runners.table.ts';
import { ciVariablesOwnership } from './tables/ci-variables.table.ts';
import { crossReferencesOwnership } from './tables/cross-references.table.ts';
import { customAttributesOwnership } from './tables/custom-attributes.table.ts';
import { deployTokensOwnership } from './tables/deploy-tokens.table.ts';
import { eventsOwnership } from './tables/events.table.ts';
import { groupLinksOwnership } from './tables/group-links.table.ts';
import { importSourceUsersOwnership } from './tables/import-source-users.table.ts';
import { internalIdsOwnership } from './tables/internal-ids.table.ts';
import { invitationsOwnership } from './tables/invitations.table.ts';
import { issuableAssigneesOwnership } from './tables/issuable-assignees.table.ts';
import { issuableLabelsOwnership } from './tables/issuable-labels.table.ts';
import { issueLinksOwnership } from './tables/issue-links.table.ts';
import { issuesOwnership } from './tables/issues.table.ts';
import { labelsOwnership } from './tables/labels.table.ts';
import { membersOwnership } from './tables/members.table.ts';
import { mergeRequestsOwnership } from './tables/merge-requests.table.ts';
import { notesOwnership } from './tables/notes.table.ts';
import { notificationSettingsOwnership } from './tables/notification-settings.table.ts';
import { packageNamePartsOwnership } from './tables/package-name-parts.table.ts';
import { packageNamesOwnership } from './tables/package-names.table.ts';
import { packageProtectionRulesOwnership } from './tables/package-protection-rules.table.ts';
import { packageTagsOwnership } from './tables/package-tags.table.ts';
import { packagesOwnership } from './tables/packages.table.ts';
import { redirectRoutesOwnership } from './tables/redirect-routes.table.ts';
import { releaseLinksOwnership } from './tables/release-links.table.ts';
import { resourceEventsOwnership } from './tables/resource-events.table.ts';
import { snippetsOwnership } from './tables/snippets.table.ts';
import { sshKeysOwnership } from './tables/ssh-keys.table.ts';
import { subscriptionsOwnership } from './tables/subscriptions.table.ts';
import { timeLogsOwnership } from './tables/time-logs.table.ts';
import { todosOwnership } from './tables/todos.table.ts';
import { userMentionsOwnership } from './tables/user-mentions.table.ts';

/** Ownerships by table. Tables without an entry have foreign keys to all their owners. */
export const ownerships: { readonly [T in keyof Schema]?: Ownership<Schema[T]> } = {
  issues: issuesOwnership,
  merge_requests: mergeRequestsOwnership,
  snippets: snippetsOwnership,
  notes: notesOwnership,
  labels: labelsOwnership,
  award_emoji: awardEmojiOwnership,
  issuable_labels: issuableLabelsOwnership,
  issuable_assignees: issuableAssigneesOwnership,
  time_logs: timeLogsOwnership,
  resource_events: resourceEventsOwnership,
  subscriptions: subscriptionsOwnership,
  user_mentions: userMentionsOwnership,
  cross_references: crossReferencesOwnership,
  todos: todosOwnership,
  events: eventsOwnership,
  members: membersOwnership,
  group_links: groupLinksOwnership,
  access_requests: accessRequestsOwnership,
  invitations: invitationsOwnership,
  redirect_routes: redirectRoutesOwnership,
  custom_attributes: customAttributesOwnership,
  deploy_tokens: deployTokensOwnership,
  internal_ids: internalIdsOwnership,
  access_tokens: accessTokensOwnership,
  ci_job_artifacts: ciJobArtifactsOwnership,
  ci_pipeline_variables: ciPipelineVariablesOwnership,
  ci_variables: ciVariablesOwnership,
  ci_runners: ciRunnersOwnership,
  ci_pipeline_schedule_variables: ciPipelineScheduleVariablesOwnership,
  packages: packagesOwnership,
  package_names: packageNamesOwnership,
  package_name_parts: packageNamePartsOwnership,
  package_tags: packageTagsOwnership,
  package_protection_rules: packageProtectionRulesOwnership,
  release_links: releaseLinksOwnership,
  audit_events: auditEventsOwnership,
  broadcast_messages: broadcastMessagesOwnership,
  notification_settings: notificationSettingsOwnership,
  bulk_import_entities: bulkImportEntitiesOwnership,
  import_source_users: importSourceUsersOwnership,
  approval_rules: approvalRulesOwnership,
  issue_links: issueLinksOwnership,
  ssh_keys: sshKeysOwnership,
};
