import { parseJson } from '../../../db/columns.ts';
import type { WebHook } from '../../../db/tables/web-hooks.table.ts';
import type { Deps } from '../../../deps.ts';
import { alertStatus } from '../../../webhooks/health.ts';
import { openSecrets } from '../../../webhooks/hook-secrets.ts';
import type { HookKind } from '../payloads/types.ts';
import { ALL_FLAGS, flagOf } from './hooks.flags.ts';

const ORGANIZATION = 1;

/** Renders a hook. @param whole whether to include the names of URL variables and custom headers */
export function presentHook(deps: Deps, kind: HookKind, row: WebHook, whole: boolean) {
  const { url, variables, headers, token, signingToken } = openSecrets(deps, row);
  const triggers = new Set(parseJson<string[]>(row.triggers).map(flagOf));
  const status = alertStatus(row, deps.clock.now());
  const keys = (named: readonly { key: string }[]) => named.map(({ key }) => ({ key }));
  return {
    id: row.id,
    url,
    name: row.name,
    description: row.description,
    created_at: row.created_at,
    ...Object.fromEntries(ALL_FLAGS[kind].map((flag) => [flag, triggers.has(flag)])),
    enable_ssl_verification: row.enable_ssl_verification === 1,
    alert_status: status,
    disabled_until: status === 'temporarily_disabled' ? row.disabled_until : null,
    push_events_branch_filter: row.push_events_branch_filter,
    branch_filter_strategy: row.branch_filter_strategy,
    custom_webhook_template: row.custom_webhook_template,
    token_present: token !== null,
    signing_token_present: signingToken !== null,
    ...(whole ? { url_variables: keys(variables), custom_headers: keys(headers) } : {}),
    ...(kind === 'project' ? { project_id: row.project_id } : {}),
    ...(kind === 'group' ? { group_id: row.group_id } : {}),
    ...(kind === 'system' ? { organization_id: ORGANIZATION } : {}),
  };
}
