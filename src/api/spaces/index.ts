import type { Area } from '../area.ts';
import { accessRequestRoutes } from './access-requests/routes.ts';
import { badgeRoutes } from './badges/routes.ts';
import { billableMemberRoutes } from './billable-members/routes.ts';
import { customAttributeRoutes } from './custom-attributes/routes.ts';
import { deployKeyRoutes } from './deploy-keys/routes.ts';
import { deployTokenRoutes } from './deploy-tokens/routes.ts';
import { registerExpiringTokens } from './expiring-tokens.ts';
import { groupProjectRoutes } from './groups/project-routes.ts';
import { registerRemovalOfMarked } from './groups/remove-marked.ts';
import { groupRoutes } from './groups/routes.ts';
import { groupShareRoutes } from './groups/share-routes.ts';
import { takePartInUserRemoval } from './groups/user-removal.ts';
import { acceptInvitations } from './invitations/accept.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { memberRoleRoutes } from './member-roles/routes.ts';
import { registerEndOfMemberships } from './members/expiry.ts';
import { projectUserRoutes } from './members/project-user-routes.ts';
import { memberRoutes } from './members/routes.ts';
import { namespaceRoutes } from './namespaces/routes.ts';
import { projectAliasRoutes } from './project-aliases/routes.ts';
import { projectShareRoutes } from './project-shares/routes.ts';
import { registerProjectWork } from './projects/background.ts';
import { projectRoutes } from './projects/routes.ts';
import { resourceAccessTokenRoutes } from './resource-access-tokens/routes.ts';
import { serviceAccountRoutes } from './service-accounts/routes.ts';
import { sshCertificateRoutes } from './ssh-certificates/routes.ts';
import { topicRoutes } from './topics/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

export { PublicGroup } from './groups/answers.ts';
export { visibleGroup } from './groups/find.ts';
export { CreateInput as CreateGroup } from './groups/inputs.ts';
export { groupSettings } from './groups/settings.ts';
export { fullNames, groupWebUrl, presentGroups, presentPublicGroups } from './groups/views.ts';
export { createByInput as createGroupByInput, mayCreateTopLevel, updateGroup } from './groups/writes.ts';
export { addMember } from './members/writes.ts';
export { SimpleProject } from './projects/answers.ts';
export { CreateInput as CreateProject, makeProject } from './projects/creation.ts';
export { lockProject } from './projects/destroy.ts';
export { deleteProject } from './projects/mark.ts';
export { presentProjects } from './projects/page-views.ts';
export { findPlacement, mayCreateProjects, personalNamespace } from './projects/placement.ts';
export { fillRepository } from './projects/repository-fill.ts';
export { changedSettings, type ProjectSettings, settingsOf } from './projects/settings.ts';
export { writeStatistics } from './projects/statistics.ts';
export { takePath } from './projects/take-path.ts';
export { projectAvatarUrl } from './projects/views.ts';
export { groupSource, inSource, projectSource, requireStillInSource, type Source, type SourceKind } from './source.ts';
export { rewriteUploadUrl } from './uploads/addresses.ts';
export { markdownOf, SHOWN_TYPES, shownType, uploadName } from './uploads/names.ts';

/** Projects, groups and namespaces, who belongs to them and what they own. */
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
    takePartInUserRemoval(deps);
    deps.lifecycle.addressConfirmed.add((db, userId, address) => acceptInvitations(deps, db, userId, address));
  },
};
