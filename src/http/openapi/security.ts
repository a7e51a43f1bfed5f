import { API_TOKENS } from '../api-tokens.ts';
import type { Credentials } from '../credentials.ts';
import type { Route } from '../route.ts';

/** Security of an operation: any one of its ways, or none where it is open or the body says who calls. */
export const securityOf = ({ ways }: Credentials, open: boolean): object[] => [
  ...(open ? [{}] : []),
  ...ways.map(({ name, place }) => (place.scheme === null ? {} : { [name]: [] })),
];

/** The ways in words, in Markdown. */
export const credentialWords = ({ ways }: Credentials): string =>
  [...new Set(ways.map(({ place }) => place.words))].join(', ');

/**
 * Every way that a route declares, by name; those of the API first.
 * @throws Error when two that are not the same have one name
 */
export function securitySchemes(routes: readonly Route[]): Record<string, object> {
  const schemes: Record<string, object> = {};
  const all = [API_TOKENS, ...routes.flatMap(({ options }) => options.credentials ?? [])];
  for (const { name, place, description } of new Set(all.flatMap(({ ways }) => ways))) {
    if (place.scheme === null) continue;
    const scheme = { ...place.scheme, description };
    const known = schemes[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(scheme)) {
      throw new Error(`two ways to sign in are called ${name}`);
    }
    schemes[name] = scheme;
  }
  return schemes;
}
