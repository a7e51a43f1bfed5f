import type { Ownership } from './ownership.ts';
import type { Schema } from './schema.ts';
import { accessRequestsOwnership } from './tables/access-requests.ts';
import { accessTokensOwnership } from './tables/access-tokens.ts';
import { approvalRulesOwnership } from './tables/approval-rules.ts';
import { auditEventsOwnership } from './tables/audit-events.ts';
import { awardEmojiOwnership } from './tables/award-emoji.ts';
import { broadcastMessagesOwnership } from './tables/broadcast-messages.ts';
import { bulkImportEntitiesOwnership } from './tables/bulk-import-entities.ts';
import { ciJobArtifactsOwnership } from './tables/ci-job-artifacts.ts';
import { ciPipelineScheduleVariablesOwnership } from './tables/ci-pipeline-schedule-variables.ts';
import { ciPipelineVariablesOwnership } from './tables/ci-pipeline-variables.ts';
import { ciRunnersOwnership } from './tables/ci-runners.ts';
import { ciVariablesOwnership } from './tables/ci-variables.ts';
import { crossReferencesOwnership } from './tables/cross-references.ts';
import { customAttributesOwnership } from './tables/custom-attributes.ts';
import { deployTokensOwnership } from './tables/deploy-tokens.ts';
import { eventsOwnership } from './tables/events.ts';
import { groupLinksOwnership } from './tables/group-links.ts';
import { importSourceUsersOwnership } from './tables/import-source-users.ts';
import { internalIdsOwnership } from './tables/internal-ids.ts';
import { invitationsOwnership } from './tables/invitations.ts';
import { issuableAssigneesOwnership } from './tables/issuable-assignees.ts';
import { issuableLabelsOwnership } from './tables/issuable-labels.ts';
import { issueLinksOwnership } from './tables/issue-links.ts';
import { issuesOwnership } from './tables/issues.ts';
import { labelsOwnership } from './tables/labels.ts';
import { membersOwnership } from './tables/members.ts';
import { mergeRequestsOwnership } from './tables/merge-requests.ts';
import { notesOwnership } from './tables/notes.ts';
import { notificationSettingsOwnership } from './tables/notification-settings.ts';
import { packageNamePartsOwnership } from './tables/package-name-parts.ts';
import { packageNamesOwnership } from './tables/package-names.ts';
import { packageProtectionRulesOwnership } from './tables/package-protection-rules.ts';
import { packageTagsOwnership } from './tables/package-tags.ts';
import { packagesOwnership } from './tables/packages.ts';
import { redirectRoutesOwnership } from './tables/redirect-routes.ts';
import { releaseLinksOwnership } from './tables/release-links.ts';
import { resourceEventsOwnership } from './tables/resource-events.ts';
import { snippetsOwnership } from './tables/snippets.ts';
import { sshKeysOwnership } from './tables/ssh-keys.ts';
import { subscriptionsOwnership } from './tables/subscriptions.ts';
import { timeLogsOwnership } from './tables/time-logs.ts';
import { todosOwnership } from './tables/todos.ts';
import { userMentionsOwnership } from './tables/user-mentions.ts';

/** How rows go that no foreign key takes along, by table. A table that is not here has foreign keys for all that its rows belong to. */
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
