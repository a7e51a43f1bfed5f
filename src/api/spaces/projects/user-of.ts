import type { Caller, UserCaller } from '../../../access/caller.ts';
import { unauthorized } from '../../../core/core.errors.ts';

/** Returns the caller as a user. @throws ApiError 401 for deploy tokens */
export function userOf(caller: Caller): UserCaller {
  const { user } = caller;
  if (user === null) throw unauthorized();
  return { ...caller, user };
}
