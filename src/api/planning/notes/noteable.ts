import { type TSchema, Type } from 'typebox';
import type { ProjectAbility } from '../../../access/access.abilities.ts';
import type { Caller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { IssuableColumns, IssuableType, NoteableType } from '../../../db/tables/tables.kinds.ts';
import type { Deps } from '../../../deps.ts';
import type { ProjectScope } from '../../api.access.ts';
import { findCommit, findProjectSnippet } from '../../code/index.ts';
import { findIssue } from '../issues/issues.find.ts';
import { findMergeRequest } from '../merge-requests/lifecycle/merge-requests.find.ts';

/** An object with a discussion. */
export type Noteable = {
  projectId: number;
  /** Number; for issues and merge requests only. */
  iid: number | null;
  /** Null for commits. */
  authorId: number | null;
  /** Whether only members may comment. */
  locked: boolean;
  /** Of issues. */
  confidential?: boolean;
} & ({ type: NoteableType; id: number } | { type: 'Commit'; id: null; sha: string });

/** Project of a discussion, with the caller and their permissions. */
export type NoteScope = Pick<ProjectScope, 'project' | 'permissions'> & { caller: Caller };

/** A kind of noteable, by its path segment. */
export interface NoteableKind {
  segment: 'issues' | 'merge_requests' | 'snippets' | 'repository/commits';
  /** Name in summaries. */
  noun: string;
  /** Schema of the path parameter that identifies it. */
  key: TSchema;
  read: ProjectAbility;
  comment: ProjectAbility;
  /** @throws ApiError 404 if it does not exist or the caller may not read it */
  find(deps: Deps, scope: NoteScope, key: string | number): Promise<Noteable>;
}

const iid = (noun: string) => Type.Integer({ description: `Number of the ${noun} in the project.` });

const issuable = (
  type: IssuableType,
  { project }: NoteScope,
  {
    id,
    iid,
    author_id,
    discussion_locked,
  }: Pick<IssuableColumns, 'iid' | 'author_id' | 'discussion_locked'> & { id: number },
): Noteable => ({ type, id, iid, projectId: project.id, authorId: author_id, locked: discussion_locked === 1 });

const issues: NoteableKind = {
  segment: 'issues',
  noun: 'issue',
  key: iid('issue'),
  read: 'read_issue',
  comment: 'create_note',
  find: async ({ db }, scope, key) => {
    const issue = await findIssue(db, scope, Number(key));
    return { ...issuable('Issue', scope, issue), confidential: issue.confidential === 1 };
  },
};

const mergeRequests: NoteableKind = {
  segment: 'merge_requests',
  noun: 'merge request',
  key: iid('merge request'),
  read: 'read_merge_request',
  comment: 'create_note',
  find: async ({ db }, scope, key) => issuable('MergeRequest', scope, await findMergeRequest(db, scope, Number(key))),
};

const snippets: NoteableKind = {
  segment: 'snippets',
  noun: 'snippet',
  key: Type.Integer({ description: 'Id of the snippet.' }),
  read: 'read_snippet',
  comment: 'create_note',
  find: async ({ db }, scope, key) => {
    const { id, author_id } = await findProjectSnippet(db, scope, Number(key));
    return { type: 'Snippet', id, iid: null, projectId: scope.project.id, authorId: author_id, locked: false };
  },
};

const commits: NoteableKind = {
  segment: 'repository/commits',
  noun: 'commit',
  key: Type.String({ description: 'Commit, branch or tag.' }),
  read: 'read_code',
  comment: 'comment_on_commit',
  find: async (deps, { project, permissions }, key) => {
    if (!permissions.can('read_code')) throw notFound('Commit');
    const { commit } = await findCommit(deps, project, String(key));
    return {
      type: 'Commit',
      id: null,
      sha: commit.oid,
      iid: null,
      projectId: project.id,
      authorId: null,
      locked: false,
    };
  },
};

/** Kinds with notes endpoints. */
export const NOTEABLE_KINDS = { issues, merge_requests: mergeRequests, snippets };
/** Kinds with discussions endpoints. */
export const DISCUSSION_KINDS = { ...NOTEABLE_KINDS, commits };
