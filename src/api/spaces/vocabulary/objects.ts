import type { TSchema } from 'typebox';
import { BadgeEntity, BadgePreview } from '../badges/schema.ts';
import { DeployKey, DeployKeyWithProjects, ProjectDeployKey } from '../deploy-keys/schema.ts';
import { DeployToken, DeployTokenWithSecret } from '../deploy-tokens/schema.ts';
import { Group, PublicGroup } from '../groups/entity.ts';
import { Member } from '../members/schema.ts';
import { Namespace, NamespaceBasic } from '../namespaces/entity.ts';
import { Project, ProjectStatistics, SimpleProject } from '../projects/schema.ts';
import { Topic } from '../topics/schema.ts';
import { NewUpload, UploadEntity } from '../uploads/schema.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
export const objects: Readonly<Record<string, TSchema>> = {
  Badge: BadgeEntity,
  BadgePreview,
  DeployKey,
  DeployKeyWithProjects,
  DeployToken,
  DeployTokenWithSecret,
  Group,
  GroupWithoutMembership: PublicGroup,
  Member,
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
