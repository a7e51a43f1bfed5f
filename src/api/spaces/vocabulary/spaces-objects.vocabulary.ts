import type { TSchema } from 'typebox';
import { BadgeEntity, BadgePreview } from '../badges/badges.responses.ts';
import { DeployKey, DeployKeyWithProjects, ProjectDeployKey } from '../deploy-keys/deploy-keys.responses.ts';
import { DeployToken, DeployTokenWithSecret } from '../deploy-tokens/deploy-tokens.responses.ts';
import { Group, PublicGroup } from '../groups/groups.responses.ts';
import { MemberRoleEntity } from '../member-roles/member-roles.responses.ts';
import { Member } from '../members/members.responses.ts';
import { Namespace, NamespaceBasic } from '../namespaces/namespaces.responses.ts';
import { Project, ProjectStatistics, SimpleProject } from '../projects/projects.responses.ts';
import { GroupSshCertificate } from '../ssh-certificates/ssh-certificates.responses.ts';
import { Topic } from '../topics/topics.responses.ts';
import { NewUpload, UploadEntity } from '../uploads/uploads.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  Badge: BadgeEntity,
  BadgePreview,
  DeployKey,
  DeployKeyWithProjects,
  DeployToken,
  DeployTokenWithSecret,
  Group,
  GroupSshCertificate,
  GroupWithoutMembership: PublicGroup,
  Member,
  MemberRole: MemberRoleEntity,
  Namespace,
  NamespaceBasic,
  Project,
  ProjectDeployKey,
  ProjectStatistics,
  SimpleProject,
  Topic,
  Upload: UploadEntity,
  UploadedFile: NewUpload,
};
