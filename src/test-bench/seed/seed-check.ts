import { isDatabaseText } from '../../core/database-text.ts';
import { problemAt, SeedError } from './seed.error.ts';
import type { SeedDocument, SeedPath } from './seed-document.ts';
import type { FieldSchema } from './seed-fields.ts';

/** More problems than these are not told. */
const MAX_PROBLEMS = 100;
const MAX_SHOWN = 40;

interface Problem {
  path: SeedPath;
  text: string;
}

/** What was found, and the schema whose `$defs` references name. */
interface Findings {
  readonly root: FieldSchema;
  readonly problems: Problem[];
}

const DEFS = '#/$defs/';

function resolve(schema: FieldSchema, { root }: Findings): FieldSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return (root.$defs as Record<string, FieldSchema>)[$ref.slice(DEFS.length)]!;
}

/**
 * Checks a seed against its schema.
 * @throws SeedError with all problems, a line each
 */
export function checkSeed(document: SeedDocument, schema: FieldSchema): void {
  const problems: Problem[] = [];
  check(document.value, schema, [], { root: schema, problems });
  if (problems.length === 0) return;
  const lines = problems.slice(0, MAX_PROBLEMS).map(({ path, text }) => problemAt(document.placeOf(path), text));
  const more = problems.length - MAX_PROBLEMS;
  throw new SeedError(more > 0 ? [...lines, `${document.file}: and ${more} more problems`] : lines);
}

function check(value: unknown, declared: FieldSchema, path: SeedPath, findings: Findings): void {
  const schema = resolve(declared, findings);
  if (schema.anyOf === undefined) checkOne(value, schema, path, findings);
  else checkAny(value, schema.anyOf, path, findings);
}

function checkOne(value: unknown, schema: FieldSchema, path: SeedPath, findings: Findings): void {
  const say = (text: string) => void findings.problems.push({ path, text });
  const types = schema.type === undefined ? null : [schema.type].flat();
  const isRight = types === null || types.some((type) => isOf(value, type));
  if (!isRight || (value !== null && schema.enum !== undefined && !schema.enum.includes(value))) {
    say(`must be ${words(schema)}`);
  } else if (typeof value === 'string') {
    checkText(value, schema, say);
  } else if (typeof value === 'number') {
    if (value < (schema.minimum ?? value)) say(`must be ${schema.minimum} or more`);
    if (value > (schema.maximum ?? value)) say(`must be ${schema.maximum} or less`);
  } else if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? value.length)) say(`must have at most ${schema.maxItems} elements`);
    const { items } = schema;
    if (items !== undefined) value.forEach((item, at) => void check(item, items, [...path, at], findings));
  } else if (typeof value === 'object' && value !== null) {
    checkObject(value as Record<string, unknown>, schema, path, findings);
  }
}

function checkAny(value: unknown, schemas: readonly FieldSchema[], path: SeedPath, findings: Findings): void {
  // Of several forms, the problems of the one whose type is right are the ones that help.
  let closest: Problem[] | null = null;
  for (const schema of schemas) {
    const found: Problem[] = [];
    check(value, schema, path, { root: findings.root, problems: found });
    if (found.length === 0) return;
    const types = [schema.type ?? []].flat();
    if (schema.enum === undefined && types.some((type) => isOf(value, type))) closest ??= found;
  }
  if (closest !== null) findings.problems.push(...closest);
  else findings.problems.push({ path, text: `must be ${schemas.map(words).join(', or ')}` });
}

function checkText(value: string, schema: FieldSchema, say: (text: string) => void): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  if (!isDatabaseText(value)) say('must not contain NUL characters; a file may be {base64: ...}');
  if (value.length < minLength)
    say(minLength === 1 ? 'must not be empty' : `must have ${minLength} characters or more`);
  if (value.length > maxLength) say(`must have ${maxLength} characters or fewer`);
  if (pattern !== undefined && !new RegExp(pattern).test(value)) say(`must match ${pattern}`);
  if (format === 'date' && !isDay(value)) say('must be a day such as 2026-01-31');
  if (format === 'date-time' && !isInstant(value)) say('must be a time such as 2026-01-31T09:05:00Z');
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/;
const FIRST_YEAR = 1_970;

const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text));

const isInstant = (text: string): boolean => {
  const time = INSTANT.test(text) ? new Date(text) : null;
  return time !== null && !Number.isNaN(time.getTime()) && time.getUTCFullYear() >= FIRST_YEAR;
};

function checkObject(
  value: Record<string, unknown>,
  { properties = {}, required = [], additionalProperties, patternProperties = {} }: FieldSchema,
  path: SeedPath,
  findings: Findings,
): void {
  const { problems } = findings;
  for (const key of required) if (value[key] === undefined) problems.push({ path, text: `${key} is missing` });
  const [pattern] = Object.values(patternProperties);
  const others = typeof additionalProperties === 'object' ? additionalProperties : pattern;
  for (const [key, each] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : others;
    if (schema !== undefined) check(each, schema, [...path, key], findings);
    else if (additionalProperties === false) problems.push({ path: [...path, key], text: unknownKey(key, properties) });
  }
}

function unknownKey(key: string, properties: Readonly<Record<string, FieldSchema>>): string {
  const known = Object.keys(properties);
  const near = known.filter((name) => distance(name, key) <= Math.max(1, Math.floor(key.length / 4)));
  if (near.length > 0) return `is unknown; did you mean ${near.join(' or ')}?`;
  const more = known.length > MAX_SHOWN ? `, ... (${known.length} keys)` : '';
  return `is unknown; known are ${known.slice(0, MAX_SHOWN).join(', ')}${more}`;
}

/** Number of characters to change, add or remove. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 3 || other.length > 100) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

/** What a schema takes, in words. */
function words({ type, enum: values, anyOf }: FieldSchema): string {
  if (anyOf !== undefined) return anyOf.map(words).join(', or ');
  if (values !== undefined) return `one of ${values.map(String).join(', ')}`;
  return [type ?? []]
    .flat()
    .map((each) => TYPE_WORDS[each] ?? each)
    .join(' or ');
}
