import { ApiError, conflict } from '../../../../core/core.errors.ts';
import type { MergeRequest } from '../../../../db/tables/merge-requests.table.ts';
import type { DetailedMergeStatus } from '../mergeability/mergeability.statuses.ts';

/** Statuses that depend on the content of the branches. */
const IN_GIT: readonly DetailedMergeStatus[] = ['conflict', 'need_rebase', 'locked_lfs_files', 'checking', 'unchecked'];

/** 405: the state of the merge request does not allow the operation. */
export const methodNotAllowed = () => new ApiError(405, '405 Method Not Allowed');

/** Refusal of an impossible merge, with the reason if known. */
export class CannotBeMerged extends ApiError {
  readonly reason: string | null;

  constructor(reason: string | null = null) {
    super(422, reason === null ? 'Branch cannot be merged' : `Branch cannot be merged: ${reason}`);
    this.reason = reason;
  }
}

/** 422: git cannot merge, or not by the rules of the project. */
export const cannotBeMerged = (reason: string | null = null) => new CannotBeMerged(reason);

/** The refusal of a merge for its first failed check. */
export const mergeRefusal = (status: DetailedMergeStatus): ApiError =>
  IN_GIT.includes(status) ? cannotBeMerged() : methodNotAllowed();

/** 409: the head expected by the client differs from the actual one. */
export const shaMismatch = ({ head_sha }: Pick<MergeRequest, 'head_sha'>): ApiError =>
  conflict(`SHA does not match HEAD of source branch: ${head_sha}`);
