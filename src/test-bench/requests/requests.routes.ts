import { Type } from 'typebox';
import { withoutUrlCredentials } from '../../core/url-credentials.ts';
import { matchesWildcard } from '../../core/wildcard.ts';
import { maskAddress } from '../../http/http.mask.ts';
import { type Route, route } from '../../http/http.route.ts';
import { Instant, Nullable } from '../../http/http.schema.ts';
import { refuseUnknownKeys } from '../strict-input.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { listInTime, readAfter, WaitingInput } from '../waiting-list.ts';
import { maskedBody } from './masked-body.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { RECORD_TOPIC } from './request-recorder.ts';

const REQUESTS = '/-/bench/requests';
const NO_SECRETS: ReadonlySet<string> = new Set();

const RequestEntity = Type.Object({
  id: Type.Integer({ description: 'Number of the request, in the order of the answers.' }),
  at: Instant({ description: 'When it came.' }),
  method: Type.String({ description: 'Method of the request.' }),
  path: Type.String({ description: 'Path as sent, without the query.' }),
  query: Nullable(Type.String({ description: 'Query as sent.' })),
  route: Nullable(Type.String({ description: 'Template of its route.' })),
  caller: Nullable(Type.String({ description: 'Username of the caller.' })),
  status: Nullable(Type.Integer({ description: 'Status of the answer; null if there was none.' })),
  request_body: Nullable(Type.String({ description: 'Body as sent, without secrets.' })),
  response_body: Nullable(Type.String({ description: 'Body of the answer, without secrets.' })),
});

const RequestFilters = WaitingInput({
  method: Type.Optional(Type.String({ description: 'Method of the request.' })),
  path: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'Path without the query; `*` stands for any text.' }),
  ),
  status: Type.Optional(Type.Integer({ description: 'Status of the answer.' })),
});

/** Path and query of a request, which may be sent with a whole URL. */
function addressOf({ url }: RecordedRequest): { path: string; query: string | null } {
  const own = url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  const question = own.indexOf('?');
  return question === -1
    ? { path: own, query: null }
    : { path: own.slice(0, question), query: own.slice(question + 1) };
}

function present(recorded: RecordedRequest) {
  const { id, at, method, route, caller, status, secrets = NO_SECRETS } = recorded;
  const { path, query } = addressOf(recorded);
  return {
    id,
    at: new Date(at).toISOString(),
    method,
    path: withoutUrlCredentials(path),
    query: query === null ? null : maskAddress(`?${query}`, secrets).slice(1),
    route,
    caller,
    status,
    request_body: maskedBody(recorded.requestBody, recorded.requestType, route, secrets),
    response_body: maskedBody(recorded.responseBody, recorded.responseType, route, secrets),
  };
}

/** The record of requests. */
export const requestsRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: REQUESTS,
    summary: 'List the requests that the test bench has recorded',
    description: 'The oldest first, without those of the test bench. With `wait`, 408 if there are too few in time.',
    input: RequestFilters,
    success: { status: 200, schema: Type.Array(RequestEntity) },
    errors: [400, 408],
    handler: async (c) => {
      const { input, bench } = c;
      refuseUnknownKeys(c.sent, RequestFilters);
      const after = readAfter(input.after);
      const { path = '*' } = input;
      const list = () =>
        bench.requests
          .list()
          .filter(
            (each) =>
              (after.column === 'id' ? each.id > after.value : each.at > Date.parse(after.value)) &&
              (input.method === undefined || each.method === input.method.toUpperCase()) &&
              (input.status === undefined || each.status === input.status) &&
              matchesWildcard(path, addressOf(each).path),
          );
      return (await listInTime(c, input, RECORD_TOPIC, list)).map(present);
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'DELETE',
    path: REQUESTS,
    summary: 'Empty the record of requests of the test bench',
    success: { status: 204, empty: true },
    handler: ({ bench }) => bench.requests.clear(),
  }),
];
