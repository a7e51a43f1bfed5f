import type { TSchema } from 'typebox';
import { BadgeEntity, BadgePreview } from '../badges/answers.ts';
import { DeployKey, DeployKeyWithProjects, ProjectDeployKey } from '../deploy-keys/answers.ts';
import { DeployToken, DeployTokenWithSecret } from '../deploy-tokens/answers.ts';
import { Group, PublicGroup } from '../groups/answers.ts';
import { MemberRoleEntity } from '../member-roles/answers.ts';
import { Member } from '../members/answers.ts';
import { Namespace, NamespaceBasic } from '../namespaces/answers.ts';
import { Project, ProjectStatistics, SimpleProject } from '../projects/answers.ts';
import { GroupSshCertificate } from '../ssh-certificates/answers.ts';
import { Topic } from '../topics/answers.ts';
import { NewUpload, UploadEntity } from '../uploads/answers.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
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
