/** An object of an export; untrusted. */
export type ImportedObject = Readonly<Record<string, unknown>>;

/** An object that cannot be imported; the message says why. */
export class InvalidImportObject extends Error {
  override name = 'InvalidImportObject';
}

const INSTANT = /^\d{4}-\d\d-\d\d(?:T|\s)/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MAX_INTEGER = 2_147_483_647;
/** Maximum length of a text. */
const MAX_TEXT = 1_048_576;

export const isImportedObject = (value: unknown): value is ImportedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Removes characters that databases cannot store. */
const withoutUnstorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** A text, or null. @throws InvalidImportObject if it is too long */
export function coerceText(value: unknown, max = MAX_TEXT): string | null {
  if (typeof value !== 'string') return null;
  if (value.length > max) throw new InvalidImportObject(`a text has more than ${max} characters`);
  return withoutUnstorable(value);
}

/** A required text. @throws InvalidImportObject */
export function requireText(value: unknown, what: string, max = 255): string {
  const text = coerceText(value, max)?.trim() ?? '';
  if (text === '') throw new InvalidImportObject(`${what} is missing`);
  return text;
}

/** An instant in the stored format, or null. */
export function coerceInstant(value: unknown): string | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const date = new Date(value.replace(' UTC', 'Z'));
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 ? null : date.toISOString();
}

/** A day, or null. */
export const coerceDay = (value: unknown): string | null =>
  typeof value === 'string' && DAY.test(value) && coerceInstant(`${value}T00:00:00Z`)?.startsWith(value) ? value : null;

/** An integer in the given range, or null. */
export const coerceInteger = (value: unknown, min = 0, max = MAX_INTEGER): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : null;

/** The required `iid` of an object. @throws InvalidImportObject */
export function coerceIid(value: unknown): number {
  const iid = coerceInteger(value, 1);
  if (iid === null) throw new InvalidImportObject('iid is missing');
  return iid;
}

export const coerceFlag = (value: unknown): 0 | 1 => (value === true ? 1 : 0);

/** One of the given texts; the first one if it is none of them. */
export const coerceOneOf = <const T extends string>(value: unknown, values: readonly [T, ...T[]]): T =>
  values.find((each) => each === value) ?? values[0];

/** The objects of a list; other values are left out. */
export const coerceObjects = (value: unknown): ImportedObject[] =>
  Array.isArray(value) ? value.filter(isImportedObject) : [];

/** A full object id, 40 or 64 hexadecimal digits; or null. */
export const coerceSha = (value: unknown): string | null =>
  typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : null;
