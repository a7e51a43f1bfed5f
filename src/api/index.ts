import type { Route } from '../http/route.ts';
import { appearanceRoutes } from './admin/appearance/routes.ts';
import { applicationStatisticsRoutes } from './admin/application-statistics/routes.ts';
import { versionRoutes } from './admin/version/routes.ts';
import { otherBranchRoutes } from './code/branches/other-routes.ts';
import { branchRoutes } from './code/branches/routes.ts';
import { changelogRoutes } from './code/changelogs/routes.ts';
import { commitStatusRoutes } from './code/commit-statuses/routes.ts';
import { commitPageRoutes } from './code/commits/page-routes.ts';
import { commitsRoutes } from './code/commits/routes.ts';
import { commitSubRoutes } from './code/commits/sub-routes.ts';
import { groupProtectedBranchRoutes } from './code/group-protected-branches/routes.ts';
import { protectedBranchRoutes } from './code/protected-branches/routes.ts';
import { protectedTagRoutes } from './code/protected-tags/routes.ts';
import { repositoryRoutes } from './code/repositories/routes.ts';
import { repositoryFilesRoutes } from './code/repository-files/routes.ts';
import { snapshotRoutes } from './code/snapshots/routes.ts';
import { snippetsRoutes } from './code/snippets/routes.ts';
import { submoduleRoutes } from './code/submodules/routes.ts';
import { tagRoutes } from './code/tags/routes.ts';
import { graphqlRoutes } from './graphql/routes.ts';
import { applicationRoutes } from './identity/applications/routes.ts';
import { avatarRoutes } from './identity/avatars/routes.ts';
import { emailRoutes } from './identity/emails/routes.ts';
import { gpgKeyRoutes } from './identity/gpg-keys/routes.ts';
import { impersonationTokenRoutes } from './identity/impersonation-tokens/routes.ts';
import { oauthRoutes } from './identity/oauth/routes.ts';
import { personalAccessTokenRoutes } from './identity/personal-access-tokens/routes.ts';
import { selfTokenRoutes } from './identity/personal-access-tokens/self.ts';
import { keyLookupRoutes } from './identity/ssh-keys/lookup.ts';
import { sshKeyRoutes } from './identity/ssh-keys/routes.ts';
import { userPreferenceRoutes } from './identity/user-preferences/routes.ts';
import { userExtraRoutes } from './identity/users/extra-routes.ts';
import { userFollowRoutes } from './identity/users/follow-routes.ts';
import { userMembershipRoutes } from './identity/users/memberships.ts';
import { userRoutes } from './identity/users/routes.ts';
import { userStateRoutes } from './identity/users/state-routes.ts';
import { userStatusRoutes } from './identity/users/status.ts';
import { awardEmojiRoutes } from './planning/award-emoji/routes.ts';
import { discussionRoutes } from './planning/discussions/routes.ts';
import { draftNoteRoutes } from './planning/draft-notes/routes.ts';
import { eventRoutes } from './planning/events/routes.ts';
import { issueLinkRoutes } from './planning/issue-links/routes.ts';
import { issueListRoutes } from './planning/issues/list-routes.ts';
import { issueMergeRequestRoutes } from './planning/issues/merge-request-routes.ts';
import { otherIssueRoutes } from './planning/issues/other-routes.ts';
import { issueRoutes } from './planning/issues/routes.ts';
import { labelRoutes } from './planning/labels/routes.ts';
import { approvalRoutes } from './planning/merge-requests/approvals/routes.ts';
import { contextCommitRoutes } from './planning/merge-requests/context-commits/routes.ts';
import { externalStatusCheckRoutes } from './planning/merge-requests/external-status-checks/routes.ts';
import { mergingRoutes } from './planning/merge-requests/merging/routes.ts';
import { mergeRequestListRoutes } from './planning/merge-requests/requests/list-routes.ts';
import { mergeRequestPageRoutes } from './planning/merge-requests/requests/page-routes.ts';
import { mergeRequestRoutes } from './planning/merge-requests/requests/routes.ts';
import { mergeRequestSubRoutes } from './planning/merge-requests/requests/sub-routes.ts';
import { milestoneIssuableRoutes } from './planning/milestones/issuable-routes.ts';
import { milestoneRoutes } from './planning/milestones/routes.ts';
import { noteRoutes } from './planning/notes/routes.ts';
import { resourceEventRoutes } from './planning/resource-events/routes.ts';
import { todoRoutes } from './planning/todos/routes.ts';
import { accessRequestRoutes } from './spaces/access-requests/routes.ts';
import { badgeRoutes } from './spaces/badges/routes.ts';
import { billableMemberRoutes } from './spaces/billable-members/routes.ts';
import { customAttributeRoutes } from './spaces/custom-attributes/routes.ts';
import { deployKeyRoutes } from './spaces/deploy-keys/routes.ts';
import { deployTokenRoutes } from './spaces/deploy-tokens/routes.ts';
import { groupProjectRoutes } from './spaces/groups/project-routes.ts';
import { groupRoutes } from './spaces/groups/routes.ts';
import { groupShareRoutes } from './spaces/groups/share-routes.ts';
import { invitationRoutes } from './spaces/invitations/routes.ts';
import { projectUserRoutes } from './spaces/members/project-users.ts';
import { memberRoutes } from './spaces/members/routes.ts';
import { namespaceRoutes } from './spaces/namespaces/routes.ts';
import { projectAliasRoutes } from './spaces/project-aliases/routes.ts';
import { projectShareRoutes } from './spaces/project-shares/routes.ts';
import { projectRoutes } from './spaces/projects/routes.ts';
import { resourceAccessTokenRoutes } from './spaces/resource-access-tokens/routes.ts';
import { serviceAccountRoutes } from './spaces/service-accounts/routes.ts';
import { topicRoutes } from './spaces/topics/routes.ts';
import { uploadRoutes } from './spaces/uploads/routes.ts';

/** Every resource of the API, one line each. */
export const routes: readonly Route[] = [
  ...issueListRoutes,
  ...issueRoutes,
  ...otherIssueRoutes,
  ...issueMergeRequestRoutes,
  ...badgeRoutes,
  ...billableMemberRoutes,
  ...deployKeyRoutes,
  ...projectUserRoutes,
  ...projectAliasRoutes,
  ...projectShareRoutes,
  ...deployTokenRoutes,
  ...resourceAccessTokenRoutes,
  ...branchRoutes,
  ...otherBranchRoutes,
  ...gpgKeyRoutes,
  ...groupProtectedBranchRoutes,
  ...protectedBranchRoutes,
  ...protectedTagRoutes,
  ...accessRequestRoutes,
  ...memberRoutes,
  ...customAttributeRoutes,
  ...graphqlRoutes,
  ...groupProjectRoutes,
  ...groupRoutes,
  ...invitationRoutes,
  ...issueLinkRoutes,
  ...labelRoutes,
  ...milestoneIssuableRoutes,
  ...milestoneRoutes,
  ...mergingRoutes,
  ...mergeRequestListRoutes,
  ...mergeRequestPageRoutes,
  ...mergeRequestRoutes,
  ...mergeRequestSubRoutes,
  ...contextCommitRoutes,
  ...externalStatusCheckRoutes,
  ...namespaceRoutes,
  ...groupShareRoutes,
  ...impersonationTokenRoutes,
  ...personalAccessTokenRoutes,
  ...selfTokenRoutes,
  ...projectRoutes,
  ...appearanceRoutes,
  ...applicationStatisticsRoutes,
  ...applicationRoutes,
  ...approvalRoutes,
  ...awardEmojiRoutes,
  ...avatarRoutes,
  ...noteRoutes,
  ...discussionRoutes,
  ...draftNoteRoutes,
  ...oauthRoutes,
  ...emailRoutes,
  ...eventRoutes,
  ...keyLookupRoutes,
  ...sshKeyRoutes,
  ...userExtraRoutes,
  ...userFollowRoutes,
  ...userMembershipRoutes,
  ...userPreferenceRoutes,
  ...userRoutes,
  ...userStateRoutes,
  ...userStatusRoutes,
  ...changelogRoutes,
  ...commitPageRoutes,
  ...commitsRoutes,
  ...commitSubRoutes,
  ...commitStatusRoutes,
  ...repositoryRoutes,
  ...repositoryFilesRoutes,
  ...resourceEventRoutes,
  ...serviceAccountRoutes,
  ...snapshotRoutes,
  ...snippetsRoutes,
  ...submoduleRoutes,
  ...todoRoutes,
  ...topicRoutes,
  ...tagRoutes,
  ...uploadRoutes,
  ...versionRoutes,
];
