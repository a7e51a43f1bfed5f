import { notFound } from '../core/core.errors.ts';
import type { Deps } from '../deps.ts';
import { changedSecrets } from './changed-secrets.ts';
import { type HookSecrets, openSecrets } from './hook-secrets.ts';
import { findHook } from './webhooks.find.ts';
import { invalidNamedValue, isHeader, isVariable } from './webhooks.rules.ts';
import { changeSecrets, type HookScope } from './webhooks.save.ts';

/** Named values of a hook: URL variables or custom headers. */
export type NamedValueKind = 'variables' | 'headers';

const CALLED = { variables: 'URL variable', headers: 'Custom header' } as const;
const CHANGED = { variables: 'url_variables', headers: 'custom_headers' } as const;

/** Sets a URL variable or a custom header of a hook. @throws ApiError 401, 403, 404, 422 */
export async function setNamedValue(
  deps: Deps,
  scope: HookScope,
  id: number,
  kind: NamedValueKind,
  named: { key: string; value: string },
): Promise<void> {
  await findHook(deps.db, scope.owner, id);
  if (!(kind === 'variables' ? isVariable(named) : isHeader(named))) throw invalidNamedValue();
  await changeSecrets(deps, scope, id, (before) => changedSecrets(before, { [CHANGED[kind]]: [named] }), CHANGED[kind]);
}

/**
 * Deletes a URL variable or a custom header of a hook.
 * @throws ApiError 401, 403, 404 if it does not exist, 422 for a variable that the URL uses
 */
export async function removeNamedValue(
  deps: Deps,
  scope: HookScope,
  id: number,
  kind: NamedValueKind,
  key: string,
): Promise<void> {
  const without = (before: HookSecrets): HookSecrets => {
    const left = before[kind].filter((each) => each.key !== key);
    if (left.length === before[kind].length) throw notFound(CALLED[kind]);
    return { ...before, [kind]: left };
  };
  without(openSecrets(deps, await findHook(deps.db, scope.owner, id)));
  await changeSecrets(deps, scope, id, without, CHANGED[kind]);
}
