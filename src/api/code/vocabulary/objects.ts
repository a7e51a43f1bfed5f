import type { TSchema } from 'typebox';
import { Branch } from '../branches/schema.ts';
import { CommitStatus } from '../commit-statuses/entity.ts';
import { CommitAction } from '../commits/actions.ts';
import { Diff } from '../commits/diff-entity.ts';
import { Commit, CommitDetail, CommitListEntry, CommitStats, PipelineBasic } from '../commits/schema.ts';
import { Signature } from '../commits/signature.ts';
import { ProtectedBranch } from '../protected-branches/schema.ts';
import { ProtectedTag } from '../protected-tags/schema.ts';
import { Blob, Compare, Contributor, TreeObject } from '../repositories/schema.ts';
import { BlameRange, RepositoryFile, WrittenFile } from '../repository-files/schema.ts';
import { Snippet } from '../snippets/entity.ts';
import { Tag } from '../tags/schema.ts';

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
  Diff,
  File: RepositoryFile,
  PipelineBasic,
  ProtectedBranch,
  ProtectedTag,
  Signature,
  Snippet,
  Tag,
  TreeObject,
  WrittenFile,
};
