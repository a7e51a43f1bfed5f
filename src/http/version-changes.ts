import { Readable } from 'node:stream';
import { isBefore, NEWEST, type PlatformVersion, type ReportedVersion } from '../core/reported-version.ts';
import type { Route } from './http.route.ts';
import { Serialized } from './http.send.ts';

/** What an API version has that earlier ones have not, by the platform's public documentation. */
type Change = { since: PlatformVersion; what: string } & (
  | { routes: readonly RegExp[] }
  | { fields: readonly string[]; of: RegExp }
);

/** A route as `METHOD /path`, with parameters as they are declared. */
const nameOf = ({ options: { method, path } }: Route): string => `${method} ${path}`;

/** The changes that are acted on; docs/testing.md lists them. */
export const CHANGES: readonly Change[] = [
  { since: '16.1', what: '`prepared_at` of merge requests', fields: ['prepared_at'], of: /\/merge_requests\b/ },
  { since: '16.1', what: 'service accounts', routes: [/\/service_accounts\b/] },
  {
    since: '16.10',
    what: '`POST /personal_access_tokens/self/rotate`',
    routes: [/^POST \/personal_access_tokens\/self\/rotate$/],
  },
  {
    since: '16.11',
    what: 'tests of project webhooks',
    routes: [/^POST \/projects\/:id\/hooks\/:hook_id\/test\/:trigger$/],
  },
  {
    since: '17.1',
    what: 'tests of group webhooks',
    routes: [/^POST \/groups\/:id\/hooks\/:hook_id\/test\/:trigger$/],
  },
  {
    since: '17.1',
    what: '`name` and `description` of project and group webhooks',
    fields: ['name', 'description'],
    of: /^[A-Z]+ \/(?:projects|groups)\/:id\/hooks(?:\/:hook_id)?$/,
  },
  {
    since: '17.1',
    what: 'custom headers of project and group webhooks',
    routes: [/^[A-Z]+ \/(?:projects|groups)\/:id\/hooks\/:hook_id\/custom_headers\/:key$/],
  },
  { since: '17.1', what: 'lists of service accounts', routes: [/^GET .*\/service_accounts$/] },
  {
    since: '17.2',
    what: '`ci_push_repository_for_job_token_allowed` of projects',
    fields: ['ci_push_repository_for_job_token_allowed'],
    of: /\/projects\b/,
  },
  {
    since: '17.3',
    what: 'events of project and group webhooks',
    routes: [/^GET \/(?:projects|groups)\/:id\/hooks\/:hook_id\/events$/],
  },
  {
    since: '17.4',
    what: 'events of webhooks sent again',
    routes: [/^POST \/(?:projects|groups)\/:id\/hooks\/:hook_id\/events\/:hook_log_id\/resend$/],
  },
  {
    since: '17.4',
    what: '`GET /personal_access_tokens/self/associations`',
    routes: [/^GET \/personal_access_tokens\/self\/associations$/],
  },
  { since: '17.5', what: '`PUT /projects/:id/mirror/pull`', routes: [/^PUT \/projects\/:id\/mirror\/pull$/] },
  { since: '17.6', what: 'package protection rules', routes: [/ \/projects\/:id\/packages\/protection\/rules\b/] },
  { since: '17.7', what: 'SSH certificates of groups', routes: [/ \/groups\/:id\/ssh_certificates\b/] },
  { since: '17.10', what: 'placeholder reassignments', routes: [/ \/groups\/:id\/placeholder_reassignments$/] },
];

const later = (version: ReportedVersion): Change[] => CHANGES.filter(({ since }) => isBefore(version, since));

/** The routes of a version; the list itself if it has them all. */
export function routesAt(version: ReportedVersion, routes: readonly Route[]): readonly Route[] {
  const absent = later(version).flatMap((change) => ('routes' in change ? change.routes : []));
  if (absent.length === 0) return routes;
  return routes.filter((route) => !absent.some((pattern) => pattern.test(nameOf(route))));
}

/** Fields that the answers of a route have not in a version; null if there are none. */
export function absentFields(version: ReportedVersion, route: Route): ReadonlySet<string> | null {
  if (version.major === NEWEST.major && version.minor === NEWEST.minor) return null;
  if (!('schema' in route.options.success)) return null;
  const fields = later(version).flatMap((change) =>
    'fields' in change && change.of.test(nameOf(route)) ? change.fields : [],
  );
  return fields.length === 0 ? null : new Set(fields);
}

/** An answer, or a list of some, without fields; content of another type than JSON as it is. */
export function withoutFields(answer: unknown, fields: ReadonlySet<string>): unknown {
  if (answer instanceof Serialized) return Serialized.of(withoutFields(JSON.parse(answer.body.toString()), fields));
  if (Array.isArray(answer)) return answer.map((each) => withoutFields(each, fields));
  if (typeof answer !== 'object' || answer === null || answer instanceof Readable || Buffer.isBuffer(answer))
    return answer;
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !fields.has(name)));
}
