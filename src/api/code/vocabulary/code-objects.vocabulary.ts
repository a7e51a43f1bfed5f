import type { TSchema } from 'typebox';
import { Branch } from '../branches/branches.responses.ts';
import { CommitStatus } from '../commit-statuses/commit-statuses.responses.ts';
import { CommitAction } from '../commits/actions.ts';
import { Diff } from '../commits/commits.diff-responses.ts';
import { Commit, CommitDetail, CommitListEntry, CommitStats } from '../commits/commits.responses.ts';
import { Signature } from '../commits/commits.signature.ts';
import { DetailedStatus, Pipeline, PipelineBasic, PipelineListEntry } from '../pipelines/commit-pipelines.responses.ts';
import { ProtectedBranch } from '../protected-branches/protected-branches.responses.ts';
import { ProtectedTag } from '../protected-tags/protected-tags.responses.ts';
import { PullMirror } from '../pull-mirrors/pull-mirrors.responses.ts';
import { GroupPushRule, ProjectPushRule } from '../push-rules/push-rules.responses.ts';
import { RemoteMirror, RemoteMirrorPublicKey } from '../remote-mirrors/remote-mirrors.responses.ts';
import { Blob, Compare, Contributor, TreeObject } from '../repositories/repositories.responses.ts';
import { BlameRange, RepositoryFile, WrittenFile } from '../repository-files/repository-files.responses.ts';
import { Snippet } from '../snippets/snippets.responses.ts';
import { Tag } from '../tags/tags.responses.ts';
import { WikiAttachment, WikiPage, WikiPageBasic } from '../wikis/wikis.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  BlameRange,
  Branch,
  Blob,
  Commit,
  CommitAction,
  CommitDetail,
  CommitListEntry,
  CommitStats,
  CommitStatus,
  Comparison: Compare,
  Contributor,
  DetailedStatus,
  Diff,
  File: RepositoryFile,
  GroupPushRule,
  Pipeline,
  PipelineBasic,
  PipelineListEntry,
  ProjectPushRule,
  ProtectedBranch,
  ProtectedTag,
  PullMirror,
  RemoteMirror,
  RemoteMirrorPublicKey,
  Signature,
  Snippet,
  Tag,
  TreeObject,
  WikiAttachment,
  WikiPage,
  WikiPageBasic,
  WrittenFile,
};
