/** Answers made out of an OpenAPI document: each operation's, with every property and every kind of value that its schema allows. */

export interface Schema {
  [keyword: string]: unknown;
}

/** One answer of an operation. */
export interface Answer {
  status: number;
  type: string;
  body: unknown;
  /** Where it comes from, for messages. */
  origin: string;
}

export interface Operation {
  method: string;
  /** As the document has it. */
  path: string;
  answers: Answer[];
}

export interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  components: { schemas: Record<string, Schema> };
}

interface ResponseObject {
  content?: Record<string, { schema: Schema }>;
}

const MAX_DEPTH = 8;
/** Answers of one operation that are made: more kinds of values than that no schema has in one place. */
const MAX_VARIANTS = 6;
const PLAIN: Record<string, unknown> = { string: 'text', integer: 7, number: 7.5, boolean: true, null: null };
const FORMATS: Record<string, string> = { 'date-time': '2026-02-03T04:05:06.789Z', date: '2026-02-03' };

const typesOf = ({ type }: Schema): readonly string[] =>
  Array.isArray(type) ? (type as string[]) : type === undefined ? [] : [type as string];

/** What JSON Schema calls the type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const isOf = (value: unknown, type: string): boolean =>
  typeOf(value) === type || (type === 'number' && typeOf(value) === 'integer');

/** Makes values of schemas. The same variant of a schema is always the same value. */
export class Examples {
  readonly #schemas: Record<string, Schema>;
  /** How many variants differ, found out while they are made. */
  #kinds = 1;

  constructor(document: Document) {
    this.#schemas = document.components.schemas;
  }

  /** All variants of a schema. */
  of(schema: Schema): unknown[] {
    this.#kinds = 1;
    const made = [this.#make(schema, 0, 0)];
    for (let variant = 1; variant < Math.min(this.#kinds, MAX_VARIANTS); variant += 1) {
      made.push(this.#make(schema, variant, 0));
    }
    return made;
  }

  #choose<T>(from: readonly T[], variant: number): T {
    this.#kinds = Math.max(this.#kinds, from.length);
    return from[variant % from.length]!;
  }

  #make(schema: Schema, variant: number, depth: number): unknown {
    if (typeof schema.$ref === 'string') {
      return this.#make(this.#schemas[schema.$ref.split('/').at(-1)!] ?? {}, variant, depth);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const choices = schema[keyword] as Schema[] | undefined;
      if (choices === undefined || schema.properties !== undefined) continue;
      // What is no null comes first: the whole of an answer shows in its first variant.
      const sorted = choices.toSorted((a, b) => Number(a.type === 'null') - Number(b.type === 'null'));
      const chosen = this.#choose(sorted, variant);
      return this.#make({ examples: schema.examples, ...chosen }, variant, depth);
    }
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const types = typesOf(schema).toSorted((a, b) => Number(a === 'null') - Number(b === 'null'));
    const type = types.length === 0 ? 'object' : this.#choose(types, variant);
    return this.#value(schema, type, variant, depth);
  }

  #value(schema: Schema, type: string, variant: number, depth: number): unknown {
    if (type === 'object' && depth < MAX_DEPTH) {
      const parts = (schema.allOf as Schema[] | undefined) ?? [];
      const made = Object.fromEntries(
        Object.entries((schema.properties as Record<string, Schema>) ?? {}).map(([key, each]) => [
          key,
          this.#make(each, variant, depth + 1),
        ]),
      );
      const rest = Object.assign({}, ...parts.map((part) => this.#make(part, variant, depth + 1)));
      return Object.keys(made).length === 0
        ? { ...(this.#example(schema, type) as object), ...rest }
        : { ...made, ...rest };
    }
    const example = type === 'number' ? 7.5 : this.#example(schema, type);
    if (type === 'array') {
      if (schema.items === undefined) return example ?? [];
      return depth < MAX_DEPTH ? [this.#make(schema.items as Schema, variant, depth + 1)] : [];
    }
    return example ?? FORMATS[String(schema.format)] ?? PLAIN[type] ?? null;
  }

  #example(schema: Schema, type: string): unknown {
    const [example] = ((schema.examples as unknown[]) ?? []).filter((each) => isOf(each, type));
    return example;
  }
}

/** Every operation of a document with the answers of its successes. */
export function operationsOf(document: Document): Operation[] {
  const examples = new Examples(document);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path,
      answers: Object.entries(responses)
        .filter(([status]) => status.startsWith('2') && status !== '206')
        .flatMap(([status, { content }]) => {
          if (content === undefined)
            return [{ status: Number(status), type: '', body: null, origin: 'document, no body' }];
          const schema = content['application/json']?.schema;
          if (schema === undefined) return [];
          return examples.of(schema).map((body, index) => ({
            status: Number(status),
            type: 'application/json',
            body,
            origin: `document, variant ${index}`,
          }));
        }),
    })),
  );
}
