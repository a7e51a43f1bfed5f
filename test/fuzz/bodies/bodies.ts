import type { Random } from '../../crash/random.ts';

/** A body that nobody would send. */
export interface HostileBody {
  /** What is too much of it. */
  what: string;
  type: string;
  body: string;
}

const BOUNDARY = 'fuzz';
/** Bytes of a body, below what every route takes. */
const MAX_BYTES = 1_500_000;

const repeated = (count: number, part: (at: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(between);

const part = (name: string, value: string, more = ''): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

/** Kinds of bodies by what is too much of them; each takes how much. */
const KINDS: Readonly<Record<string, (count: number) => Pick<HostileBody, 'type' | 'body'>>> = {
  'keys of an object': (count) => json(`{${repeated(count, (at) => `"k${at}":1`, ',')}}`),
  'keys of an inner object': (count) => json(`{"a":[{"b":{${repeated(count, (at) => `"${at}":""`, ',')}}}]}`),
  'equal keys': (count) => json(`{${repeated(count, () => '"grant_type":0', ',')}}`),
  'values of a list': (count) => json(`{"a":[${repeated(count, () => '0', ',')}]}`),
  'small objects': (count) => json(`{"a":[${repeated(count, () => '{"b":{}}', ',')}]}`),
  'nested lists': (count) => json(`{"a":${'['.repeat(count)}${']'.repeat(count)}}`),
  'nested objects': (count) => json(`${'{"a":'.repeat(count)}1${'}'.repeat(count)}`),
  'brackets in texts': (count) => json(`{"a":"${'[{,:'.repeat(count)}"}`),
  'keys, and no end': (count) => json(`{${repeated(count, (at) => `"k${at}":1`, ',')}`),
  'fields of a form': (count) => form(repeated(count, (at) => `f${at}=1`, '&')),
  'parts of names': (count) => form(repeated(Math.ceil(count / 30), (at) => `f${at}${'[a]'.repeat(30)}=1`, '&')),
  'elements of a list': (count) => form(repeated(count, () => 'a[]=1', '&')),
  'elements of objects': (count) => form(repeated(count, () => 'a[][b]=1', '&')),
  'parts of a multipart body': (count) => multipart(repeated(count, (at) => part(`f${at}`, '1'))),
  'parts of one name': (count) => multipart(repeated(count, () => part('a[][b]', '1'))),
  'files of a multipart body': (count) => multipart(repeated(count, (at) => part('file', '', `; filename="${at}"`))),
  'headers of a part': (count) => multipart(`--${BOUNDARY}\r\n${repeated(count, (at) => `X-${at}: 1\r\n`)}\r\n1\r\n`),
};

const json = (body: string) => ({ type: 'application/json', body });
const form = (body: string) => ({ type: 'application/x-www-form-urlencoded', body });
const multipart = (parts: string) => ({
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  body: `${parts}--${BOUNDARY}--\r\n`,
});

/** The next hostile body of a sequence. */
export function hostileBody(random: Random): HostileBody {
  const what = random.pick(Object.keys(KINDS));
  const count = random.pick([1_000, 5_000, 20_001, 60_000, 150_000]);
  const { type, body } = KINDS[what]!(count);
  return { what: `${count} ${what}`, type, body: body.length > MAX_BYTES ? body.slice(0, MAX_BYTES) : body };
}
