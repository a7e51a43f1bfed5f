import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Static, type TObject, Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { Enum } from '../../http/http.schema.ts';
import { compileParams } from '../../http/params/coerce.ts';
import { OUTGOING_KINDS } from '../../outbound/outgoing-calls.ts';
import { isOfBench } from '../request-path.ts';
import { refuseUnknownKeys } from '../strict-input.ts';

/** Largest body of an answer, in bytes. */
const MAX_BODY = 1024 * 1024;
/** Longest delay in milliseconds. */
const MAX_DELAY_MS = 300_000;
const MAX_PATTERN = 2_000;
const MAX_HEADERS = 100;

const DROPS = ['before', 'after', 'mid-body'] as const;

const HeaderMap = (description: string) =>
  Type.Record(Type.String(), Type.String({ maxLength: 8_192 }), { maxProperties: MAX_HEADERS, description });

export const FaultMatch = Type.Object({
  method: Type.Optional(Type.String({ pattern: '^[A-Za-z]{1,20}$', description: 'Method of the request.' })),
  path: Type.Optional(
    Type.String({
      maxLength: MAX_PATTERN,
      description: 'Path as sent, without the query; `*` stands for any text.',
      examples: ['/api/v4/projects/*/issues'],
    }),
  ),
  user: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Username of the caller.' })),
  header: Type.Optional(HeaderMap('Headers that the request must have; `*` in a value stands for any text.')),
  count: Type.Optional(Type.Integer({ minimum: 1, description: 'Number of tries that the rule acts on.' })),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of the tries that the rule acts on, 0 to 1.' }),
  ),
  outgoing: Type.Optional(Enum(OUTGOING_KINDS, { description: 'Calls of the server to others, instead of requests.' })),
  url: Type.Optional(
    Type.String({ maxLength: MAX_PATTERN, description: 'URL of an outgoing call; `*` stands for any text.' }),
  ),
});

export const FaultAct = Type.Object({
  status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: 'Status to answer with.' })),
  headers: Type.Optional(HeaderMap('Headers of the answer.')),
  body: Type.Optional(Type.Unknown({ description: 'Body to answer with: a text, or anything else as JSON.' })),
  delay_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: MAX_DELAY_MS, description: 'Milliseconds to wait before anything else.' }),
  ),
  bytes_per_second: Type.Optional(Type.Integer({ minimum: 1, description: 'Rate at which the body is sent.' })),
  drop: Type.Optional(
    Enum(DROPS, {
      description:
        'Closes the connection: before the request is handled, after it is handled without an answer, or in the middle of the body.',
    }),
  ),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: 'Value of `Retry-After`; the status is 429 by default.' }),
  ),
});

export const FaultInput = Type.Object({ match: Type.Optional(FaultMatch), act: FaultAct });

export type FaultRule = Static<typeof FaultInput>;
export type FaultMatch = Static<typeof FaultMatch>;
export type FaultAct = Static<typeof FaultAct>;

const read = compileParams(FaultInput);

const refuse = (text: string): never => {
  throw new ApiError(400, text);
};

/**
 * Reads a rule as a client or a seed wrote it.
 * @throws ApiError 400 naming the parameter and what is right
 */
export function readFaultRule(sent: unknown): Required<FaultRule> {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(sent)) return refuse('a rule must be an object of match and act');
  refuseUnknownKeys(sent, FaultInput);
  const parts: [string, TObject][] = [
    ['match', FaultMatch],
    ['act', FaultAct],
  ];
  for (const [name, schema] of parts) if (isObject(sent[name])) refuseUnknownKeys(sent[name], schema, `${name}.`);
  const { match = {}, act } = read(sent) as FaultRule;
  checkMatch(match);
  checkAct(act, match);
  return { match, act };
}

function checkMatch(match: FaultMatch): void {
  const { path, outgoing, url } = match;
  if (outgoing === undefined && url !== undefined)
    refuse('match.url needs match.outgoing: hook, integration or mirror');
  if (outgoing !== undefined) {
    for (const name of ['path', 'user', 'header'] as const)
      if (match[name] !== undefined) refuse(`match.${name} is of requests; outgoing calls have match.url`);
  }
  if (path === undefined) return;
  if (!/^[/*]/.test(path)) refuse('match.path must begin with / or *');
  if (path.includes('?')) refuse('match.path is without the query');
  if (isOfBench(path)) refuse('match.path must not be of the test bench');
}

function checkAct(act: FaultAct, match: FaultMatch): void {
  const { drop, headers = {}, body } = act;
  if (Object.keys(act).length === 0) refuse('act must say what to do');
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      refuse(`act.headers has an invalid header: ${name}`);
    }
    if (/^(?:content-length|transfer-encoding|connection|trailer|upgrade)$/i.test(name))
      refuse(`act.headers cannot set ${name}`);
  }
  if (body !== undefined && Buffer.byteLength(textOf(body)) > MAX_BODY)
    refuse(`act.body is too long (maximum is ${MAX_BODY} bytes)`);
  if (answers(act) && (drop === 'before' || drop === 'after'))
    refuse(`act.drop: ${drop} leaves no answer; it cannot be combined with status, body or retry_after`);
  if (act.bytes_per_second !== undefined && match.outgoing === 'mirror')
    refuse('act.bytes_per_second does not apply to mirrors');
}

/** Whether the rule answers instead of the server. */
export const answers = ({ status, body, retry_after }: FaultAct): boolean =>
  status !== undefined || body !== undefined || retry_after !== undefined;

/** Status of a rule that answers: 429 with nothing but `retry_after`, 200 with nothing but a body. */
export const statusOf = ({ status, retry_after }: FaultAct): number =>
  status ?? (retry_after === undefined ? 200 : 429);

/** Text of a body. */
export const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
