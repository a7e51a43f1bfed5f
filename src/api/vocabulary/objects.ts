import type { TSchema } from 'typebox';
import { Branch } from '../code/branches/schema.ts';
import { CommitStatus } from '../code/commit-statuses/entity.ts';
import { CommitAction } from '../code/commits/actions.ts';
import { CommitNote } from '../code/commits/comment-entity.ts';
import { Diff } from '../code/commits/diff-entity.ts';
import { Commit, CommitDetail, CommitListEntry, CommitStats, PipelineBasic } from '../code/commits/schema.ts';
import { Signature } from '../code/commits/signature.ts';
import { ProtectedBranch } from '../code/protected-branches/schema.ts';
import { ProtectedTag } from '../code/protected-tags/schema.ts';
import { Blob, Compare, Contributor, TreeObject } from '../code/repositories/schema.ts';
import { BlameRange, RepositoryFile, WrittenFile } from '../code/repository-files/schema.ts';
import { Snippet } from '../code/snippets/entity.ts';
import { Tag } from '../code/tags/schema.ts';
import {
  ImpersonationToken,
  ImpersonationTokenWithSecret,
  PersonalToken,
  PersonalTokenWithSecret,
  ResourceToken,
  ResourceTokenWithSecret,
} from '../identity/access-tokens/entity.ts';
import { SshKeyEntity, SshKeyWithUser } from '../identity/ssh-keys/entity.ts';
import { UserBasic } from '../identity/users/basic.ts';
import { UserProfile, UserPublic, UserWithAdmin } from '../identity/users/entity.ts';
import { AwardEmoji } from '../planning/award-emoji/entity.ts';
import { PositionInput } from '../planning/discussions/position.ts';
import { EventEntity } from '../planning/events/schema.ts';
import { IssueLink, LinkedIssue } from '../planning/issue-links/schema.ts';
import { Issue, IssueBasic } from '../planning/issues/entity.ts';
import { Label } from '../planning/labels/entity.ts';
import { GroupLabel, ProjectLabel } from '../planning/labels/schema.ts';
import { ApprovalConfig } from '../planning/merge-requests/approvals/config.ts';
import {
  CommonRule,
  MergeRequestRule,
  ProjectRule,
  RuleBranch,
  RuleGroup,
  RuleState,
} from '../planning/merge-requests/approvals/rule-schema.ts';
import { ApprovalSummary, MergeRequestApprovalState } from '../planning/merge-requests/approvals/summary.ts';
import {
  HeadPipeline,
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
} from '../planning/merge-requests/requests/schema.ts';
import { Milestone } from '../planning/milestones/entity.ts';
import { Discussion, Note, Position } from '../planning/notes/entity.ts';
import { BadgeEntity, BadgePreview } from '../spaces/badges/schema.ts';
import { DeployKey, DeployKeyWithProjects, ProjectDeployKey } from '../spaces/deploy-keys/schema.ts';
import { DeployToken, DeployTokenWithSecret } from '../spaces/deploy-tokens/schema.ts';
import { Group, PublicGroup } from '../spaces/groups/entity.ts';
import { Member } from '../spaces/members/schema.ts';
import { Namespace, NamespaceBasic } from '../spaces/namespaces/entity.ts';
import { Project, ProjectStatistics, SimpleProject } from '../spaces/projects/schema.ts';
import { Topic } from '../spaces/topics/schema.ts';
import { NewUpload, UploadEntity } from '../spaces/uploads/schema.ts';

/** Names of the objects that answers hold, in the words of the field. */
export const objects: Readonly<Record<string, TSchema>> = {
  ApprovalConfiguration: ApprovalConfig,
  ApprovalRule: CommonRule,
  ApprovalRuleBranch: RuleBranch,
  ApprovalRuleGroup: RuleGroup,
  ApprovalRuleState: RuleState,
  ApprovalSummary,
  AwardEmoji,
  Badge: BadgeEntity,
  BadgePreview,
  BlameRange,
  Branch,
  Blob,
  Commit,
  CommitAction,
  CommitDetail,
  CommitListEntry,
  CommitNote,
  CommitStats,
  CommitStatus,
  Comparison: Compare,
  Contributor,
  DeployKey,
  DeployKeyWithProjects,
  DeployToken,
  DeployTokenWithSecret,
  Diff,
  Discussion,
  Event: EventEntity,
  File: RepositoryFile,
  Group,
  GroupLabel,
  GroupWithoutMembership: PublicGroup,
  ImpersonationToken,
  ImpersonationTokenWithSecret,
  Issue,
  IssueBasic,
  IssueLink,
  Label,
  LinkedIssue,
  Member,
  HeadPipeline,
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
  Milestone,
  MergeRequestApprovalRule: MergeRequestRule,
  MergeRequestApprovalState,
  Namespace,
  NamespaceBasic,
  Note,
  PersonalAccessToken: PersonalToken,
  PersonalAccessTokenWithSecret: PersonalTokenWithSecret,
  PipelineBasic,
  Position,
  PositionInput,
  Project,
  ProjectApprovalRule: ProjectRule,
  ProjectDeployKey,
  ProjectLabel,
  ProjectStatistics,
  ProtectedBranch,
  ProtectedTag,
  ResourceAccessToken: ResourceToken,
  ResourceAccessTokenWithSecret: ResourceTokenWithSecret,
  Signature,
  SimpleProject,
  Snippet,
  SshKey: SshKeyEntity,
  SshKeyWithUser,
  Tag,
  Topic,
  TreeObject,
  Upload: UploadEntity,
  UploadedFile: NewUpload,
  User: UserPublic,
  UserBasic,
  UserForAdministrators: UserWithAdmin,
  UserProfile,
  WrittenFile,
};
