import { ApiError, conflict } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { DetailedMergeStatus } from './merging.statuses.ts';

/** What only the branches themselves can settle. */
const IN_GIT: readonly DetailedMergeStatus[] = ['conflict', 'need_rebase', 'locked_lfs_files', 'checking', 'unchecked'];

/** 405: the state of the merge request does not let it be done. */
export const methodNotAllowed = () => new ApiError(405, '405 Method Not Allowed');

/** A merge that cannot be made, and why, where more is known than that. */
export class CannotBeMerged extends ApiError {
  readonly reason: string | null;

  constructor(reason: string | null = null) {
    super(422, reason === null ? 'Branch cannot be merged' : `Branch cannot be merged: ${reason}`);
    this.reason = reason;
  }
}

/** 422: git cannot do it, or not as the project wants it. */
export const cannotBeMerged = (reason: string | null = null) => new CannotBeMerged(reason);

/** The refusal of a merge, by what stands in its way. */
export const mergeRefusal = (status: DetailedMergeStatus): ApiError =>
  IN_GIT.includes(status) ? cannotBeMerged() : methodNotAllowed();

/** 409: the client looks at another head than there is. */
export const shaMismatch = ({ head_sha }: Pick<MergeRequest, 'head_sha'>): ApiError =>
  conflict(`SHA does not match HEAD of source branch: ${head_sha}`);
