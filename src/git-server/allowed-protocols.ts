import { lineageIds } from '../access/access.membership.ts';
import { effectivePlan, includesPlan } from '../access/access.plan.ts';
import type { Caller } from '../access/caller.ts';
import { isSshCaller } from '../access/caller.ts';
import { refused } from '../core/core.errors.ts';
import { parseJson } from '../db/columns.ts';
import type { Namespace } from '../db/tables/namespaces.table.ts';
import type { Deps } from '../deps.ts';

/** Settings of a root group about git access to its projects. */
interface Ways {
  enabled_git_access_protocol?: string;
  enforce_ssh_certificates?: boolean;
}

/** Refuses a disabled protocol. Jobs may always use HTTP. @throws ApiError 403 */
function requireProtocol(caller: Caller, enabled: string | undefined): void {
  const protocol = isSshCaller(caller) ? 'ssh' : 'http';
  const open = enabled === undefined || enabled === '' || enabled === 'all' || enabled === protocol;
  if (open || caller.credential.kind === 'job_token') return;
  throw refused(`Git access over ${protocol.toUpperCase()} is not allowed`, 403);
}

/** Enforces the instance setting for git protocols. @throws ApiError 403 */
export function requireProtocolOnServer(deps: Deps, caller: Caller): void {
  requireProtocol(caller, deps.settings.now.enabled_git_access_protocol);
}

/**
 * Enforces the git access settings of the root group: allowed protocols, and whether members must use an SSH
 * certificate signed by one of its certificate authorities. Deploy keys, machine tokens and administrators are exempt
 * from certificates.
 * @param namespace of the project, or the group itself
 * @param level of the caller in the namespace
 * @throws ApiError 403
 */
export async function requireProtocolInGroup(
  deps: Deps,
  caller: Caller,
  namespace: Pick<Namespace, 'id' | 'kind' | 'lineage' | 'settings'>,
  level: number,
): Promise<void> {
  if (namespace.kind !== 'group') return;
  const ways = await waysOf(deps, namespace);
  requireProtocol(caller, ways.enabled_git_access_protocol);
  if (ways.enforce_ssh_certificates !== true || level === 0 || caller.admin || !isOrdinary(caller)) return;
  if (!includesPlan(await effectivePlan(deps), 'premium')) return;
  throw refused(
    'This group accepts SSH certificates only. Sign in with a certificate that one of its certificate authorities has signed.',
    403,
  );
}

async function waysOf(
  deps: Deps,
  { id, lineage, settings }: Pick<Namespace, 'id' | 'lineage' | 'settings'>,
): Promise<Ways> {
  const [top = id] = lineageIds(lineage);
  if (top === id) return parseJson<Ways>(settings);
  return deps.snapshot.get(`ways_in:${top}`, async () => {
    const row = await deps.db.selectFrom('namespaces').select('settings').where('id', '=', top).executeTakeFirst();
    return row === undefined ? {} : parseJson<Ways>(row.settings);
  });
}

/** Whether the caller is a person who authenticated without a certificate. */
function isOrdinary({ user, credential }: Caller): boolean {
  if (user?.kind !== 'human') return false;
  return credential.kind !== 'ssh_certificate' && credential.kind !== 'job_token';
}
