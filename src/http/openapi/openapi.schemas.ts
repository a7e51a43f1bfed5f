import type { TSchema } from 'typebox';
import type { Dialect } from '../../config/config.ts';
import { withPlan } from './openapi.plan.ts';
import { NO_VOCABULARY, type Vocabulary, VocabularyLookup } from './openapi.words.ts';
import type { SchemaObject } from './schema-object.ts';

/** Keywords that control the parsing of parameters and are not part of the document. */
const PRIVATE = new Set(['x-message', 'x-comma-separated', 'x-spooled']);
/** Objects with fewer properties are not shared. */
const MIN_SHARED_PROPERTIES = 3;

/** @param owner name of the object that contains the schema */
type Visit = (schema: SchemaObject, hint: string, owner: string) => SchemaObject;
/** Adds to a property what its schema does not contain. */
type Finish = (written: SchemaObject, owner: string, key: string) => SchemaObject;

/** Applies `visit` to every schema inside a schema. */
function mapInside(
  schema: SchemaObject,
  hint: string,
  owner: string,
  visit: Visit,
  finish: Finish = (written) => written,
): SchemaObject {
  const result: SchemaObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (PRIVATE.has(keyword)) continue;
    if (keyword === 'properties' || keyword === 'patternProperties') {
      const members = Object.entries(value as Record<string, SchemaObject>);
      const write = ([key, member]: [string, SchemaObject]) => {
        const written = visit(member, keyword === 'properties' ? key : hint, owner);
        return [key, keyword === 'properties' ? finish(written, owner, key) : written];
      };
      result[keyword] = Object.fromEntries(members.map(write));
    } else if (keyword === 'items') {
      result[keyword] = visit(value as SchemaObject, singular(hint), owner);
    } else if (keyword === 'additionalProperties' && typeof value === 'object') {
      result[keyword] = visit(value as SchemaObject, hint, owner);
    } else if (keyword === 'anyOf' || keyword === 'allOf' || keyword === 'oneOf') {
      result[keyword] = (value as SchemaObject[]).map((each) => visit(each, hint, owner));
    } else result[keyword] = value;
  }
  return result;
}

/** Words whose final s is not a plural. */
const SINGULAR = /(us|ss|is|ias|statistics|settings|stats)$/;

/** Plural endings, special ones first. */
const ENDINGS: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/(ch|sh|x|us|ss|ias)es$/, '$1'],
  [/s$/, ''],
];

/** `branches` -> `branch`, `entries` -> `entry`, `projects` -> `project`. */
export function singular(word: string): string {
  if (SINGULAR.test(word)) return word;
  for (const [ending, one] of ENDINGS) if (ending.test(word)) return word.replace(ending, one);
  return word;
}

/** `personal_access_token` -> `PersonalAccessToken`. */
export const pascalCase = (words: string): string =>
  words.replace(/(?:^|[_\s.-]+)([^\W_])/g, (_, letter: string) => letter.toUpperCase());

/** Whether the schema has a description. */
const isDescribed = ({ description, anyOf }: SchemaObject): boolean =>
  description !== undefined || (Array.isArray(anyOf) && (anyOf as SchemaObject[]).some(isDescribed));

/**
 * Writes schemas into one document: objects that occur several times become named components. All schemas of answers
 * must be passed to `count` before the first one is passed to `write`.
 */
export class SchemaBook {
  readonly components: Record<string, SchemaObject> = {};
  readonly words: VocabularyLookup;
  readonly #dialect: Dialect;
  readonly #uses = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #declaredNames = new Map<string, string>();

  /** @param dialect dialect of schemas that depend on it */
  constructor(vocabulary: Vocabulary = NO_VOCABULARY, dialect: Dialect = 'specification') {
    this.#dialect = dialect;
    this.words = new VocabularyLookup(vocabulary);
    for (const [name, schema] of Object.entries(vocabulary.objects)) {
      const key = objectKey(schema as SchemaObject);
      if (key !== undefined) this.#declaredNames.set(key, name);
    }
  }

  /** Counts the objects of a schema. */
  count(schema: TSchema): void {
    const visit: Visit = (visited) => {
      const each = this.#spoken(visited);
      const key = this.#sharedKey(each);
      if (key !== undefined) {
        const uses = this.#uses.get(key) ?? 0;
        this.#uses.set(key, uses + 1);
        // Content of a shared object is written once.
        if (uses > 0) return each;
      }
      return mapInside(each, '', '', visit);
    };
    visit(schema as SchemaObject, '', '');
  }

  /**
   * @param hint name of a path or property, from which the component name is derived
   * @param context prefix of the name if the plain one is taken
   */
  write(schema: TSchema, hint: string, context = ''): SchemaObject {
    return this.#write(schema as SchemaObject, hint, context);
  }

  /** The schema in the dialect of the document. */
  #spoken(schema: SchemaObject): SchemaObject {
    const dialects = schema['x-dialects'] as Record<Dialect, SchemaObject> | undefined;
    return dialects === undefined ? schema : dialects[this.#dialect];
  }

  #write(declared: SchemaObject, hint: string, owner: string): SchemaObject {
    const schema = this.#spoken(declared);
    const inner: Visit = (each, name, within) => this.#write(each, name, within);
    const finish: Finish = (written, within, key) => this.#finish(written, within, key);
    const key = this.#sharedKey(schema);
    const declaredName = key === undefined ? undefined : this.#declaredName(key, schema);
    // Bodies are not counted and always shared, because they are written for each encoding.
    if (key === undefined || (this.#uses.get(key) === 1 && declaredName === undefined)) {
      const isObject = schema.properties !== undefined;
      return mapInside(schema, hint, isObject ? pascalCase(singular(hint)) : owner, inner, finish);
    }
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#freeName(declaredName ?? (hint.startsWith('_') ? owner : '') + pascalCase(hint), owner);
      this.#names.set(key, name);
      this.components[name] = {};
      this.components[name] = mapInside(plainObject(schema), hint, name, inner, finish);
    }
    const reference = { $ref: `#/components/schemas/${name}` };
    const { description } = schema;
    const described = description === undefined ? {} : { description };
    return Array.isArray(schema.type)
      ? { anyOf: [reference, { type: 'null' }], ...described }
      : { ...reference, ...described };
  }

  #finish(written: SchemaObject, owner: string, key: string): SchemaObject {
    const fallback = isDescribed(written) ? undefined : this.words.description(owner, key);
    const description = withPlan(fallback ?? written.description, written) ?? fallback;
    const refers = JSON.stringify(written).includes('"$ref"') || written.properties !== undefined;
    const example = refers ? undefined : this.words.example(owner, key, written);
    return {
      ...written,
      ...(description === undefined ? {} : { description }),
      ...(example === undefined || written.examples !== undefined ? {} : { examples: [example] }),
    };
  }

  #declaredName(key: string, schema: SchemaObject): string | undefined {
    return this.#declaredNames.get(key) ?? (typeof schema.title === 'string' ? pascalCase(schema.title) : undefined);
  }

  /** Identity of an object; undefined if it is never shared. */
  #sharedKey(schema: SchemaObject): string | undefined {
    const key = objectKey(schema);
    if (key === undefined || this.#declaredName(key, schema) !== undefined) return key;
    return Object.keys(schema.properties ?? {}).length < MIN_SHARED_PROPERTIES ? undefined : key;
  }

  #freeName(preferredName: string, owner: string): string {
    const plain = preferredName === '' ? 'Object' : preferredName;
    const names = [plain, `${owner}${plain}`];
    const free = names.find((name) => !(name in this.components));
    if (free !== undefined) return free;
    let count = 2;
    while (`${plain}${count}` in this.components) count += 1;
    return `${plain}${count}`;
  }
}

/** The object without the alternative null and without the description of one use. */
function plainObject({
  type: _type,
  description: _description,
  default: _default,
  ...rest
}: SchemaObject): SchemaObject {
  return { type: 'object', ...rest };
}

/** Identity of an object; undefined if it has no properties. */
function objectKey(schema: SchemaObject): string | undefined {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (!types.includes('object') || types.some((type) => type !== 'object' && type !== 'null')) return undefined;
  return schema.properties === undefined ? undefined : JSON.stringify(plainObject(schema));
}
