import type { TSchema } from 'typebox';

/** A JSON Schema as the document holds it. */
export interface SchemaObject {
  [keyword: string]: unknown;
  type?: string | string[];
  properties?: Record<string, SchemaObject>;
  items?: SchemaObject;
}

/** Keywords that steer the reading of parameters and mean nothing to others. */
const PRIVATE = new Set(['x-message', 'x-comma-separated']);
/** Objects with fewer properties are not worth a name of their own. */
const MIN_SHARED_PROPERTIES = 3;

type Visit = (schema: SchemaObject, hint: string) => SchemaObject;

/** The schema with `visit` applied to every schema inside it. */
function mapInside(schema: SchemaObject, hint: string, visit: Visit): SchemaObject {
  const result: SchemaObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (PRIVATE.has(keyword)) continue;
    if (keyword === 'properties' || keyword === 'patternProperties') {
      const members = Object.entries(value as Record<string, SchemaObject>);
      result[keyword] = Object.fromEntries(members.map(([key, member]) => [key, visit(member, key)]));
    } else if (keyword === 'items') {
      result[keyword] = visit(value as SchemaObject, singular(hint));
    } else if (keyword === 'additionalProperties' && typeof value === 'object') {
      result[keyword] = visit(value as SchemaObject, hint);
    } else if (keyword === 'anyOf' || keyword === 'allOf' || keyword === 'oneOf') {
      result[keyword] = (value as SchemaObject[]).map((each) => visit(each, hint));
    } else result[keyword] = value;
  }
  return result;
}

/** Words whose last s is no plural. */
const SINGULAR = /(us|ss|is|statistics|settings|stats)$/;

/** `branches` -> `branch`, `entries` -> `entry`, `projects` -> `project`. */
export function singular(word: string): string {
  if (SINGULAR.test(word)) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|x|us|ss)es$/, '$1')
    .replace(/s$/, '');
}

/** `personal_access_token` -> `PersonalAccessToken`. */
export const pascalCase = (words: string): string =>
  words.replace(/(?:^|[_\s.-]+)(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * Writes schemas into one document: objects that occur in several places get a name among the components and are
 * referred to from then on. Every schema of an answer must be shown to `count` before any is handed to `write`.
 */
export class SchemaBook {
  readonly components: Record<string, SchemaObject> = {};
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();

  /** Notes which objects there are. */
  count(schema: TSchema): void {
    const visit: Visit = (each) => {
      const key = sharedKey(each);
      if (key !== undefined) {
        const uses = this.#uses.get(key) ?? 0;
        this.#uses.set(key, uses + 1);
        // What is inside a shared object is written once.
        if (uses > 0) return each;
      }
      return mapInside(each, '', visit);
    };
    visit(schema as SchemaObject, '');
  }

  /** @param hint what the schema is of: a path's or a property's name, out of which its own is made */
  write(schema: TSchema, hint: string): SchemaObject {
    return this.#write(schema as SchemaObject, hint);
  }

  #write(schema: SchemaObject, hint: string): SchemaObject {
    const inner: Visit = (each, name) => this.#write(each, name);
    const key = sharedKey(schema);
    // A body is never counted, and always shared: it is written for each encoding.
    if (key === undefined || this.#uses.get(key) === 1) return mapInside(schema, hint, inner);
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#freeName(pascalCase(typeof schema.title === 'string' ? schema.title : hint));
      this.#names.set(key, name);
      this.components[name] = {};
      this.components[name] = mapInside(plainObject(schema), hint, inner);
    }
    const reference = { $ref: `#/components/schemas/${name}` };
    return Array.isArray(schema.type) ? { anyOf: [reference, { type: 'null' }] } : reference;
  }

  #freeName(wanted: string): string {
    let name = wanted === '' ? 'Object' : wanted;
    for (let count = 2; name in this.components; count += 1) name = `${wanted}${count}`;
    return name;
  }
}

/** The object without the alternative null, and without what is said of one of its uses. */
function plainObject({
  type: _type,
  description: _description,
  default: _default,
  ...rest
}: SchemaObject): SchemaObject {
  return { type: 'object', ...rest };
}

/** What tells objects apart; undefined for what is never shared. */
function sharedKey(schema: SchemaObject): string | undefined {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (!types.includes('object') || types.some((type) => type !== 'object' && type !== 'null')) return undefined;
  if (Object.keys(schema.properties ?? {}).length < MIN_SHARED_PROPERTIES) return undefined;
  return JSON.stringify(plainObject(schema));
}
