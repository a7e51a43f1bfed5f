import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import type { RemoteMirror } from '../../../db/tables/remote-mirrors.table.ts';
import type { Deps } from '../../../deps.ts';
import { changedAddress } from '../../../mirroring/changed-address.ts';
import { checkRemote } from '../../../mirroring/mirroring.address.ts';
import { branchPatternErrors } from '../../../mirroring/mirroring.branch-filter.ts';
import { BlockedAddress } from '../../../outbound/outbound.resolve.ts';
import type { RemoteMirrorUpdate } from './remote-mirrors.inputs.ts';

/** Refuses URLs that the server must not push to. @throws ApiError 400 */
export async function refuseBlocked(deps: Deps, url: string): Promise<void> {
  await blockedAsError(() => checkRemote(deps, url));
}

/** Returns the URL to store. @throws ApiError 400 */
export const storedAddress = (stored: string | null, url: string | undefined): Promise<string | null> =>
  blockedAsError(async () => changedAddress(stored, url === undefined ? {} : { url }));

async function blockedAsError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BlockedAddress) throw invalidModel({ url: [error.message] });
    throw error;
  }
}

interface Attributes extends Pick<RemoteMirror, 'only_protected_branches' | 'mirror_branch_regex' | 'auth_method'> {
  url: string;
}

/** @throws ApiError 400 with errors by field for an inconsistent configuration */
export function refuseInvalid(mirror: Attributes, input: RemoteMirrorUpdate): void {
  const errors: FieldErrors = {};
  const pattern = branchPatternErrors(input.mirror_branch_regex);
  if (pattern.length > 0) errors.mirror_branch_regex = pattern;
  if (mirror.only_protected_branches === 1 && mirror.mirror_branch_regex) {
    errors.mirror_branch_regex = ['requires only_protected_branches to be false'];
  }
  if (mirror.auth_method === 'ssh_public_key' && !mirror.url.startsWith('ssh:')) {
    errors.auth_method = ['ssh_public_key requires an SSH URL'];
  }
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}
