import { API_TOKENS } from '../api-tokens.ts';
import type { Credentials } from '../http.credentials.ts';
import type { Route } from '../http.route.ts';

/**
 * Security requirement of an operation: any of its methods, or none if it is public or the body contains the
 * credentials.
 */
export const securityOf = ({ methods }: Credentials, open: boolean): object[] => [
  ...(open ? [{}] : []),
  ...methods.map(({ name, location }) => (location.scheme === null ? {} : { [name]: [] })),
];

/** Describes the credentials in Markdown. */
export const credentialWords = ({ methods }: Credentials): string =>
  [...new Set(methods.map(({ location }) => location.words))].join(', ');

/**
 * Security schemes of all routes by name; those of the API first.
 * @throws Error if two different schemes have the same name
 */
export function securitySchemes(routes: readonly Route[]): Record<string, object> {
  const schemes: Record<string, object> = {};
  const all = [API_TOKENS, ...routes.flatMap(({ options }) => options.credentials ?? [])];
  for (const { name, location, description } of new Set(all.flatMap(({ methods }) => methods))) {
    if (location.scheme === null) continue;
    const scheme = { ...location.scheme, description };
    const known = schemes[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(scheme)) {
      throw new Error(`two different security schemes are called ${name}`);
    }
    schemes[name] = scheme;
  }
  return schemes;
}
