import { ApiError } from '../core/errors.ts';
import { GitError } from '../git/errors.ts';
import { RemoteError } from '../git/remote-error.ts';
import { BlockedAddress } from '../outbound/resolve.ts';

/** A mirror cannot be brought up to date; the message is shown as its `last_error`. */
export class MirrorFailure extends Error {
  override name = 'MirrorFailure';
}

/** A mirror was set up in another way while it was brought up to date: its next update is on the way, or none is wanted. */
export class MirrorChanged extends Error {
  override name = 'MirrorChanged';
}

const MAX_TEXT = 2_000;

/**
 * What is told of an error that a mirror can only end with: nothing that git or another server printed. Null for one that
 * says nothing about the mirror (the server stops, the database is away), after which the same work is done again.
 */
export function failureText(error: unknown): string | null {
  if (error instanceof MirrorFailure || error instanceof RemoteError || error instanceof ApiError) {
    return error.message.slice(0, MAX_TEXT);
  }
  if (error instanceof BlockedAddress) return `The address ${error.message}`;
  if (error instanceof GitError && error.code === 'timeout') return 'The remote repository took too long.';
  return null;
}
