import { type Access, type Route, route } from '../../../http/http.route.ts';
import { type NamedValueKind, removeNamedValue, setNamedValue } from '../../../webhooks/named-values.ts';
import type { HookScope } from '../../../webhooks/webhooks.save.ts';
import { type HookContext, hookScopeOf } from './hook-owner.ts';
import { managesHooks } from './hooks.access.ts';
import { headerKey, namedValue, variableKey } from './hooks.inputs.ts';

const KINDS = [
  { kind: 'variables', segment: 'url_variables', what: 'URL variable', params: variableKey },
  { kind: 'headers', segment: 'custom_headers', what: 'custom header', params: headerKey },
] as const satisfies readonly { kind: NamedValueKind; segment: string; what: string; params: unknown }[];

/** Routes for URL variables and custom headers of webhooks of projects or groups. */
export const namedValueEndpoints = (owner: 'project' | 'group'): readonly Route[] =>
  namedValueRoutes(
    `/${owner}s/:id/hooks`,
    `webhook of a ${owner}`,
    managesHooks(owner),
    hookScopeOf,
    owner === 'group',
  );

/**
 * Builds routes for URL variables and custom headers of webhooks.
 * @param path path of the hooks
 * @param noun noun for a hook in summaries
 * @param scope owner of the hooks and caller
 */
export function namedValueRoutes<A extends object>(
  path: string,
  noun: string,
  access: Access<A>,
  scope: (context: A & Pick<HookContext, 'deps'>) => HookScope,
  paid = false,
): readonly Route[] {
  const plan = paid ? ({ plan: 'premium' } as const) : {};
  return KINDS.flatMap(({ kind, segment, what, params }) => [
    route({
      method: 'PUT',
      path: `${path}/:hook_id/${segment}/:key`,
      summary: `Set a ${what} of a ${noun}`,
      ...plan,
      access,
      params,
      input: namedValue,
      success: { status: 204, empty: true },
      errors: [404, 422],
      handler: (c) =>
        setNamedValue(c.deps, scope(c), c.params.hook_id, kind, { key: c.params.key, value: c.input.value }),
    }),
    route({
      method: 'DELETE',
      path: `${path}/:hook_id/${segment}/:key`,
      summary: `Delete a ${what} of a ${noun}`,
      ...plan,
      access,
      params,
      success: { status: 204, empty: true },
      errors: [404, 422],
      handler: (c) => removeNamedValue(c.deps, scope(c), c.params.hook_id, kind, c.params.key),
    }),
  ]);
}
