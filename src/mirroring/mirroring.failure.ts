import { ApiError } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import { retryDelayOf } from '../core/retry-later.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/git.errors.ts';
import { RemoteError } from '../git/remote-error.ts';
import { BlockedAddress } from '../outbound/outbound.resolve.ts';
import { RepositoryReadOnly } from '../repositories/read-only.ts';

/** A mirror cannot be brought up to date; the message is shown as its `last_error`. */
export class MirrorFailure extends Error {
  override name = 'MirrorFailure';
}

/** A mirror was set up in another way while it was brought up to date: its next update is on the way, or none is wanted. */
export class MirrorChanged extends Error {
  override name = 'MirrorChanged';
}

const MAX_TEXT = 2_000;

/** A job that fails by itself so often is not tried any more: the mirror's own schedule goes on. */
const TRIES = 3;

/**
 * What is told of an error of a mirror's job; null where the job is to run again.
 * @param attempts how often it has run, this time included
 */
export function mirrorFailureText(deps: Pick<Deps, 'log'>, error: unknown, { attempts, signal }: Run): string | null {
  if (signal.aborted) return null;
  const text = failureText(error);
  if (text !== null || attempts < TRIES || environmentFaultOf(error) !== null || retryDelayOf(error) !== null)
    return text;
  deps.log.log('error', 'a mirror cannot be updated', { error: String(error) });
  return 'An internal error kept the mirror from being updated.';
}

/** One run of a mirror's job. */
export interface Run {
  attempts: number;
  signal: AbortSignal;
}

/**
 * What is told of an error that a mirror can only end with: nothing that git or another server printed. Null for one that
 * says nothing about the mirror (the server stops, the database is away, the repository is moved), after which the same work is done again.
 */
function failureText(error: unknown): string | null {
  if (error instanceof RepositoryReadOnly) return null;
  if (error instanceof MirrorFailure || error instanceof RemoteError || error instanceof ApiError) {
    return error.message.slice(0, MAX_TEXT);
  }
  if (error instanceof BlockedAddress) return `The address ${error.message}`;
  if (error instanceof GitError && error.code === 'timeout') return 'The remote repository took too long.';
  return null;
}
