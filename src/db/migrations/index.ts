import { foundation } from './0001-foundation.ts';
import { collaboration } from './0002-collaboration.ts';
import { exactness } from './0006-exactness.ts';
import { planning } from './0007-planning.ts';
import { spaces } from './0008-spaces.ts';
import { jobs } from './0013-jobs.ts';
import { ci } from './0014-ci.ts';
import { packages } from './0015-packages.ts';
import { featureFlags } from './0016-feature-flags.ts';
import { releases } from './0017-releases.ts';
import { mirrors } from './0018-mirrors.ts';
import { bridges } from './0019-bridges.ts';
import { lists } from './0020-lists.ts';
import { wikis } from './0021-wikis.ts';
import { storageMoves } from './0022-storage-moves.ts';
import { memberRoles } from './0023-member-roles.ts';
import { licences } from './0024-licences.ts';
import { planLimits } from './0025-plan-limits.ts';
import { auditEvents } from './0027-audit-events.ts';
import { terraformStates } from './0028-terraform-states.ts';
import { broadcastMessages } from './0029-broadcast-messages.ts';
import { snippetSizes } from './0030-snippet-sizes.ts';
import { webhooks } from './0031-webhooks.ts';
import { ssh } from './0032-ssh.ts';
import { pushRules } from './0033-push-rules.ts';
import { notifications } from './0034-notifications.ts';
import { integrations } from './0035-integrations.ts';
import { relationExports } from './0036-relation-exports.ts';
import { placeholders } from './0037-placeholders.ts';
import { expiries } from './0039-expiries.ts';
import { notificationMails } from './0040-notification-mails.ts';
import { dueAndEnding } from './0042-due-and-ending.ts';
import { sealedSecrets } from './0043-sealed-secrets.ts';
import { importLists } from './0045-import-lists.ts';
import { chatNames } from './0047-chat-names.ts';
import { integrationMails } from './0048-integration-mails.ts';
import { topicPositions } from './0052-topic-positions.ts';
import { serverProcesses } from './0062-server-processes.ts';
import { userSignInAddresses } from './0066-user-sign-in-addresses.ts';
import { auditTargets } from './0067-audit-targets.ts';
import { testBench } from './0068-test-bench.ts';
import { suggestions } from './0069-suggestions.ts';
import { userSessions } from './0070-user-sessions.ts';

/** All migrations by name, in the order of their numbers. Released ones are never changed. */
export const migrations: Readonly<Record<string, string>> = {
  '0001-foundation': foundation,
  '0002-collaboration': collaboration,
  '0006-exactness': exactness,
  '0007-planning': planning,
  '0008-spaces': spaces,
  '0013-jobs': jobs,
  '0014-ci': ci,
  '0015-packages': packages,
  '0016-feature-flags': featureFlags,
  '0017-releases': releases,
  '0018-mirrors': mirrors,
  '0019-bridges': bridges,
  '0020-lists': lists,
  '0021-wikis': wikis,
  '0022-storage-moves': storageMoves,
  '0023-member-roles': memberRoles,
  '0024-licences': licences,
  '0025-plan-limits': planLimits,
  '0027-audit-events': auditEvents,
  '0028-terraform-states': terraformStates,
  '0029-broadcast-messages': broadcastMessages,
  '0030-snippet-sizes': snippetSizes,
  '0031-webhooks': webhooks,
  '0032-ssh': ssh,
  '0033-push-rules': pushRules,
  '0034-notifications': notifications,
  '0035-integrations': integrations,
  '0036-relation-exports': relationExports,
  '0037-placeholders': placeholders,
  '0039-expiries': expiries,
  '0040-notification-mails': notificationMails,
  '0042-due-and-ending': dueAndEnding,
  '0043-sealed-secrets': sealedSecrets,
  '0045-import-lists': importLists,
  '0047-chat-names': chatNames,
  '0048-integration-mails': integrationMails,
  '0052-topic-positions': topicPositions,
  '0062-server-processes': serverProcesses,
  '0066-user-sign-in-addresses': userSignInAddresses,
  '0067-audit-targets': auditTargets,
  '0068-test-bench': testBench,
  '0069-suggestions': suggestions,
  '0070-user-sessions': userSessions,
};
