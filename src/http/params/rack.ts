/**
 * Parameters as Rack nests them, which is how the platform's clients send them:
 *   a[b]=1          -> {a: {b: '1'}}
 *   a[]=1&a[]=2     -> {a: ['1', '2']}
 *   a[][x]=1&a[][y]=2&a[][x]=3 -> {a: [{x: '1', y: '2'}, {x: '3'}]}: a repeated key starts the next element.
 */
export interface ParamObject {
  [key: string]: ParamValue;
}
export type ParamValue = unknown;

/** Invalid parameters; the message gives the reason. */
export class ParamsError extends Error {
  override name = 'ParamsError';
}

const MAX_DEPTH = 32;
/** Limits on the number of parameters and of all parts of their names: `a[][b]` has three. */
const MAX_PARAMS = 20_000;
const MAX_PARTS = 3 * MAX_PARAMS;

const newObject = (): ParamObject => Object.create(null) as ParamObject;

function isObject(value: ParamValue): value is ParamObject {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** Splits `a[b][][c]` into `['a', 'b', '', 'c']`; a name without proper brackets is one plain key. */
function splitName(name: string): string[] {
  const open = name.indexOf('[', 1);
  if (open === -1) return [name];
  const parts = [name.slice(0, open)];
  let at = open;
  while (at < name.length) {
    if (name[at] !== '[') return [name];
    const close = name.indexOf(']', at);
    if (close === -1) return [name];
    parts.push(name.slice(at + 1, close));
    at = close + 1;
    if (parts.length > MAX_DEPTH) throw new ParamsError('parameters are nested too deeply');
  }
  return parts;
}

function has(object: ParamObject, path: readonly string[]): boolean {
  let current: ParamValue = object;
  for (const part of path) {
    if (part === '') return false;
    if (!isObject(current) || !(part in current)) return false;
    current = current[part];
  }
  return true;
}

function store(target: ParamObject, path: readonly string[], value: ParamValue): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  if (rest[0] !== '') {
    target[key] ??= newObject();
    const child = target[key];
    if (!isObject(child)) throw new ParamsError(`expected a hash for parameter ${key}`);
    store(child, rest, value);
    return;
  }
  target[key] ??= [];
  const list = target[key];
  if (!Array.isArray(list)) throw new ParamsError(`expected an array for parameter ${key}`);
  const inner = rest.slice(1);
  if (inner.length === 0) {
    list.push(value);
    return;
  }
  const last: ParamValue = list.at(-1);
  if (isObject(last) && !has(last, inner)) {
    store(last, inner, value);
  } else {
    const element = newObject();
    store(element, inner, value);
    list.push(element);
  }
}

/**
 * Nests name-value pairs.
 * @param pairs decoded names and values, in their order
 * @throws ParamsError if two names contradict each other or a limit is exceeded
 */
export function nestParams(pairs: Iterable<readonly [string, ParamValue]>): ParamObject {
  const params = newObject();
  let count = 0;
  let parts = 0;
  for (const [name, value] of pairs) {
    count += 1;
    const path = splitName(name);
    parts += path.length;
    if (count > MAX_PARAMS || parts > MAX_PARTS) throw new ParamsError('there are too many parameters');
    if (name !== '') store(params, path, value);
  }
  return params;
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new ParamsError('invalid %-encoding');
  }
}

/** Splits one pair at a time, so that excess is refused before the rest is read. */
function* pairsOf(text: string): Generator<[string, string | null]> {
  for (let at = 0; at < text.length; ) {
    const ampersand = text.indexOf('&', at);
    const end = ampersand === -1 ? text.length : ampersand;
    const part = text.slice(at, end);
    at = end + 1;
    if (part === '') continue;
    const equals = part.indexOf('=');
    if (equals === -1) yield [decode(part), null];
    else yield [decode(part.slice(0, equals)), decode(part.slice(equals + 1))];
  }
}

/** Parses a query string or an urlencoded body. @throws ParamsError */
export function parseUrlencoded(text: string): ParamObject {
  return text === '' ? newObject() : nestParams(pairsOf(text));
}
