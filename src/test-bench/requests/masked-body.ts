import { FILTERED, withoutUrlCredentials } from '../../core/url-credentials.ts';
import { isSecretName, maskAddress } from '../../http/http.mask.ts';
import type { RecordedBody } from './recorded-bodies.ts';

const NOTHING: ReadonlySet<string> = new Set();
/** Strings of JSON with their names; the last one may be cut off. */
const MEMBER = /"((?:[^"\\]|\\.)*)"(\s*:\s*)"((?:[^"\\]|\\.)*)("|$)/gs;
const PART = /(name="([^"\r\n]*)"[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)(.*?)(?=\r\n--|$)/gs;
/** Tokens by their prefixes. */
const TOKEN = /\bgl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat)-[\w.-]+/g;
/** Routes whose `value` is that of a CI/CD variable. */
const WITH_VALUES = /\/variables(?:\/|$)|\/jobs\/request$/;

/**
 * A recorded body as a text without secrets; a note for one that is no text, null for none.
 * @param type media type, if it is known
 * @param route template of the route, if there is one
 * @param declared secret inputs of the route, as returned by `secretNames`
 */
export function maskedBody(
  body: RecordedBody | null,
  type: string | undefined,
  route: string | null,
  declared: ReadonlySet<string> = NOTHING,
): string | null {
  if (body === null || body.size === 0) return null;
  const isWhole = body.kept === body.size;
  const text = textOf(body, isWhole);
  if (text === null) return `[${body.size} bytes${type === undefined ? '' : ` of ${type}`}]`;
  const masked = masks(text, type ?? '', namesFor(declared, route));
  return isWhole ? masked : `${masked}… [${body.size} bytes in all]`;
}

/** @returns null if it is no text, or no longer there */
function textOf(body: RecordedBody, isWhole: boolean): string | null {
  const bytes = body.bytes();
  if (bytes === null) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Names of nested inputs without those of their parents. */
function namesFor(declared: ReadonlySet<string>, route: string | null): ReadonlySet<string> {
  const names = new Set([...declared].map((name) => name.slice(name.lastIndexOf('.') + 1)));
  if (route !== null && WITH_VALUES.test(route)) names.add('value');
  return names;
}

function masks(text: string, type: string, secrets: ReadonlySet<string>): string {
  if (type.startsWith('application/x-www-form-urlencoded')) return maskAddress(`?${text}`, secrets).slice(1);
  const named = type.startsWith('multipart/')
    ? text.replace(PART, (whole, head: string, name: string) =>
        isSecretName(name, secrets) ? `${head}${FILTERED}` : whole,
      )
    : text.replace(MEMBER, (whole, name: string, colon: string, _value, end: string) =>
        isSecretName(name, secrets) ? `"${name}"${colon}"${FILTERED}${end}` : whole,
      );
  return withoutUrlCredentials(named.replace(TOKEN, FILTERED));
}
