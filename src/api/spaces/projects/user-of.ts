import type { Caller, UserCaller } from '../../../access/caller.ts';
import { unauthorized } from '../../../core/core.errors.ts';

/** The caller as the user that only users can be here. @throws ApiError 401 for deploy tokens */
export function userOf(caller: Caller): UserCaller {
  const { user } = caller;
  if (user === null) throw unauthorized();
  return { ...caller, user };
}
