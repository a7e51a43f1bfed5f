import type { Area } from '../area.ts';
import { accessRequestRoutes } from './access-requests/access-requests.routes.ts';
import { badgeRoutes } from './badges/badges.routes.ts';
import { billableMemberRoutes } from './billable-members/billable-members.routes.ts';
import { customAttributeRoutes } from './custom-attributes/custom-attributes.routes.ts';
import { deployKeyRoutes } from './deploy-keys/deploy-keys.routes.ts';
import { deployTokenRoutes } from './deploy-tokens/deploy-tokens.routes.ts';
import { groupProjectRoutes } from './groups/groups.project-routes.ts';
import { groupRoutes } from './groups/groups.routes.ts';
import { groupShareRoutes } from './groups/groups.share-routes.ts';
import { registerGroupUserRemoval } from './groups/groups.user-removal.ts';
import { registerRemovalOfMarked } from './groups/remove-marked.ts';
import { acceptInvitations } from './invitations/invitations.accept.ts';
import { invitationRoutes } from './invitations/invitations.routes.ts';
import { memberRoleRoutes } from './member-roles/member-roles.routes.ts';
import { registerEndOfMemberships } from './members/members.expiry.ts';
import { projectUserRoutes } from './members/members.project-user-routes.ts';
import { memberRoutes } from './members/members.routes.ts';
import { namespaceRoutes } from './namespaces/namespaces.routes.ts';
import { projectAliasRoutes } from './project-aliases/project-aliases.routes.ts';
import { projectShareRoutes } from './project-shares/project-shares.routes.ts';
import { registerProjectWork } from './projects/projects.background.ts';
import { projectRoutes } from './projects/projects.routes.ts';
import { resourceAccessTokenRoutes } from './resource-access-tokens/resource-access-tokens.routes.ts';
import { serviceAccountRoutes } from './service-accounts/service-accounts.routes.ts';
import { registerExpiringTokens } from './spaces.expiring-tokens.ts';
import { sshCertificateRoutes } from './ssh-certificates/ssh-certificates.routes.ts';
import { topicRoutes } from './topics/topics.routes.ts';
import { uploadRoutes } from './uploads/uploads.routes.ts';

export { visibleGroup } from './groups/groups.find.ts';
export { CreateInput as CreateGroup } from './groups/groups.inputs.ts';
export { groupQuery } from './groups/groups.list.ts';
export { Group, PublicGroup } from './groups/groups.responses.ts';
export { GROUP_DEFAULTS, groupSettings } from './groups/groups.settings.ts';
export { fullNames, groupWebUrl, presentGroups, presentPublicGroups } from './groups/groups.views.ts';
export { createByInput as createGroupByInput, mayCreateTopLevel, updateGroup } from './groups/groups.writes.ts';
export { activeMembers } from './members/members.queries.ts';
export { addMember } from './members/members.writes.ts';
export { claimPath } from './projects/claim-path.ts';
export { CreateInput as CreateProject, createProjectByInput } from './projects/creation.ts';
export { findPlacement, mayCreateProjects, personalNamespace } from './projects/placement.ts';
export { lockProject } from './projects/projects.destroy.ts';
export { projectList } from './projects/projects.list.ts';
export { deleteProject } from './projects/projects.mark.ts';
export { presentProjects } from './projects/projects.page-views.ts';
export { SimpleProject } from './projects/projects.responses.ts';
export {
  changedSettings,
  DEFAULT_SETTINGS as PROJECT_DEFAULTS,
  type ProjectSettings,
  settingsOf,
} from './projects/projects.settings.ts';
export { projectAvatarUrl } from './projects/projects.views.ts';
export { fillRepository } from './projects/repository-fill.ts';
export { writeStatistics } from './projects/statistics.ts';
export {
  groupSource,
  inSource,
  projectSource,
  revalidateSourceAbility,
  type Source,
  type SourceAbilities,
  type SourceKind,
} from './spaces.source.ts';
export { rewriteUploadUrl } from './uploads/uploads.addresses.ts';
export { markdownOf, SHOWN_TYPES, shownType, uploadName } from './uploads/uploads.names.ts';

/** Projects, groups and namespaces, their members and resources. */
export const spaces: Area = {
  routes: [
    ...accessRequestRoutes,
    ...badgeRoutes,
    ...billableMemberRoutes,
    ...customAttributeRoutes,
    ...deployKeyRoutes,
    ...deployTokenRoutes,
    ...groupProjectRoutes,
    ...groupRoutes,
    ...groupShareRoutes,
    ...invitationRoutes,
    ...memberRoleRoutes,
    ...projectUserRoutes,
    ...memberRoutes,
    ...namespaceRoutes,
    ...projectAliasRoutes,
    ...projectShareRoutes,
    ...projectRoutes,
    ...resourceAccessTokenRoutes,
    ...serviceAccountRoutes,
    ...sshCertificateRoutes,
    ...topicRoutes,
    ...uploadRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerProjectWork(deps);
    registerEndOfMemberships(deps);
    registerRemovalOfMarked(deps);
    registerExpiringTokens(deps);
    registerGroupUserRemoval(deps);
    deps.lifecycle.addressConfirmed.add((db, userId, address) => acceptInvitations(deps, db, userId, address));
  },
};
