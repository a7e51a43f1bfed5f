import { ApiError } from '../core/core.errors.ts';
import { environmentFaultOf } from '../core/environment-fault.ts';
import { retryDelayOf } from '../core/retry-later.ts';
import type { Deps } from '../deps.ts';
import { GitError } from '../git/common/index.ts';
import { RemoteError } from '../git/remote/index.ts';
import { BlockedAddress } from '../outbound/outbound.resolve.ts';
import { RepositoryReadOnly } from '../repositories/read-only.ts';

/** A mirror update failed; the message is shown as `last_error`. */
export class MirrorFailure extends Error {
  override name = 'MirrorFailure';
}

/** The settings of a mirror changed during its update: the next update is scheduled, or none is wanted. */
export class MirrorChanged extends Error {
  override name = 'MirrorChanged';
}

const MAX_TEXT = 2_000;

/** Number of attempts of a job before its failure is reported; the mirror's own schedule continues. */
const TRIES = 3;

/**
 * Text for an error of a mirror's job; null if the job must be retried.
 * @param attempts number of runs, including this one
 */
export function mirrorFailureText(
  deps: Pick<Deps, 'log'>,
  error: unknown,
  { attempts, signal }: JobRun,
): string | null {
  if (signal.aborted) return null;
  const text = failureText(error);
  if (text !== null || attempts < TRIES || environmentFaultOf(error) !== null || retryDelayOf(error) !== null)
    return text;
  deps.log.log('error', 'a mirror could not be updated', { error: String(error) });
  return 'An internal error prevented the update of the mirror.';
}

/** A run of a mirror's job. */
export interface JobRun {
  attempts: number;
  signal: AbortSignal;
}

/**
 * Text for an error that ends an update; it contains no output of git or another server. Null for errors unrelated to
 * the mirror (shutdown, unavailable database, moved repository), after which the update is repeated.
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
