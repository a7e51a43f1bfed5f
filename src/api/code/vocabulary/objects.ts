import type { TSchema } from 'typebox';
import { Branch } from '../branches/answers.ts';
import { CommitStatus } from '../commit-statuses/answers.ts';
import { CommitAction } from '../commits/actions.ts';
import { Commit, CommitDetail, CommitListEntry, CommitStats } from '../commits/answers.ts';
import { Diff } from '../commits/diff-answers.ts';
import { Signature } from '../commits/signature.ts';
import { DetailedStatus, Pipeline, PipelineBasic, PipelineListEntry } from '../pipelines/answers.ts';
import { ProtectedBranch } from '../protected-branches/answers.ts';
import { ProtectedTag } from '../protected-tags/answers.ts';
import { PullMirror } from '../pull-mirrors/answers.ts';
import { GroupPushRule, ProjectPushRule } from '../push-rules/answers.ts';
import { RemoteMirror, RemoteMirrorPublicKey } from '../remote-mirrors/answers.ts';
import { Blob, Compare, Contributor, TreeObject } from '../repositories/answers.ts';
import { BlameRange, RepositoryFile, WrittenFile } from '../repository-files/answers.ts';
import { Snippet } from '../snippets/answers.ts';
import { Tag } from '../tags/answers.ts';
import { WikiAttachment, WikiPage, WikiPageBasic } from '../wikis/answers.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
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
