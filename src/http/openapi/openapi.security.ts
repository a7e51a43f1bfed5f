import { API_TOKENS } from '../api-tokens.ts';
import type { Credentials } from '../http.credentials.ts';
import type { Route } from '../http.route.ts';

/** Security of an operation: any one of its ways, or none where it is open or the body says who calls. */
export const securityOf = ({ methods }: Credentials, open: boolean): object[] => [
  ...(open ? [{}] : []),
  ...methods.map(({ name, location }) => (location.scheme === null ? {} : { [name]: [] })),
];

/** The ways in words, in Markdown. */
export const credentialWords = ({ methods }: Credentials): string =>
  [...new Set(methods.map(({ location }) => location.words))].join(', ');

/**
 * Every way that a route declares, by name; those of the API first.
 * @throws Error when two that are not the same have one name
 */
export function securitySchemes(routes: readonly Route[]): Record<string, object> {
  const schemes: Record<string, object> = {};
  const all = [API_TOKENS, ...routes.flatMap(({ options }) => options.credentials ?? [])];
  for (const { name, location, description } of new Set(all.flatMap(({ methods }) => methods))) {
    if (location.scheme === null) continue;
    const scheme = { ...location.scheme, description };
    const known = schemes[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(scheme)) {
      throw new Error(`two ways to sign in are called ${name}`);
    }
    schemes[name] = scheme;
  }
  return schemes;
}
