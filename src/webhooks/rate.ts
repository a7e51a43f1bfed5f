import { ApiError } from '../core/core.errors.ts';
import type { WebHook } from '../db/tables/web-hooks.table.ts';
import type { Deps } from '../deps.ts';
import { planLimits } from '../settings/settings.plan-limits.ts';

const MINUTE_S = 60;

/** Log text of a call that the rate limit refused. */
export const LIMITED = 'Webhook rate limit exceeded';

/**
 * Counts a call against the limit `web_hook_calls`, per minute for all hooks below a top-level namespace.
 * @returns whether the limit is exceeded; logged once a minute
 */
export async function limitReached(deps: Deps, hook: WebHook): Promise<boolean> {
  const { web_hook_calls: requests } = await planLimits(deps);
  if (requests === 0) return false;
  const root = await rootOf(deps, hook);
  if (root === null) return false;
  if (counts(deps, 'web_hook_calls', root, requests)) return false;
  if (counts(deps, 'web_hook_calls_log', root, 1)) {
    deps.log.log('warn', LIMITED, { hook: hook.id, namespace: root, limit: requests });
  }
  return true;
}

function counts({ limiter }: Deps, action: string, root: number, requests: number): boolean {
  try {
    limiter.check(action, String(root), { requests, periodSeconds: MINUTE_S });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Top-level namespace of a hook; null for system hooks. */
async function rootOf({ db }: Deps, { project_id, group_id }: WebHook): Promise<number | null> {
  if (project_id === null && group_id === null) return null;
  const query = db.selectFrom('namespaces').select('lineage');
  const namespace = await (project_id === null
    ? query.where('id', '=', group_id)
    : query.where('id', '=', (eb) => eb.selectFrom('projects').select('namespace_id').where('id', '=', project_id))
  ).executeTakeFirst();
  return namespace === undefined ? null : Number(namespace.lineage.split('/')[1]);
}
