import { type Route, route } from '../../../http/http.route.ts';
import { type NamedValueKind, removeNamedValue, setNamedValue } from '../../../webhooks/named-values.ts';
import { headerKey, namedValue, variableKey } from './hooks.inputs.ts';
import type { HookPlace } from './hooks.places.ts';

const KINDS = [
  { kind: 'variables', segment: 'url_variables', what: 'URL variable', params: variableKey },
  { kind: 'headers', segment: 'custom_headers', what: 'custom header', params: headerKey },
] as const satisfies readonly { kind: NamedValueKind; segment: string; what: string; params: unknown }[];

/** Routes for URL variables and custom headers of the webhooks of a place. */
export const namedValueEndpoints = ({ path, noun, access, plan }: HookPlace): readonly Route[] =>
  KINDS.flatMap(({ kind, segment, what, params }) => [
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
      handler: (c) => setNamedValue(c.deps, c, c.params.hook_id, kind, { key: c.params.key, value: c.input.value }),
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
      handler: (c) => removeNamedValue(c.deps, c, c.params.hook_id, kind, c.params.key),
    }),
  ]);
