import type { TSchema } from 'typebox';
import type { SchemaObject } from './schema-object.ts';

/** Description and example of a name, wherever it occurs. */
export type VocabularyEntry = readonly [description: string, example?: unknown];

/** Shared descriptions, used where a declaration has none. */
export interface Vocabulary {
  /** Entries by name (`web_url`), or by owner and name if the meaning differs (`Note.system`). */
  entries: Readonly<Record<string, VocabularyEntry>>;
  /** Names of objects; others are named after the path or property of their first occurrence. */
  objects: Readonly<Record<string, TSchema>>;
}

export const NO_VOCABULARY: Vocabulary = { entries: {}, objects: {} };

const INSTANT = '2026-03-01T09:30:00.000Z';
const DAY = '2026-03-01';

/** Examples of texts by the ending of their name. */
const BY_ENDING: readonly (readonly [RegExp, string])[] = [
  [/(^|_)emails?$/, 'ann@forge.example'],
  [/(^|_)url(_to_repo)?$/, 'https://forge.example/tools/app'],
  [/(^|_)(sha|commit_id)$/, '2d1db523e11e777e49377cfb22d368deec3f0793'],
  [/(^|_)branch$/, 'main'],
  [/(^|_)username$/, 'ann'],
  [/(^|_)id$/, '42'],
  [/(^|_)full_path$/, 'tools/app'],
  [/(^|_)path$/, 'app'],
  [/(^|_)(at|after|before)$/, INSTANT],
  [/(^|_)(on|date)$/, DAY],
  [/_access_level$/, 'enabled'],
  [/(^|_)color$/, '#1f75cb'],
];

const typesOf = ({ type }: SchemaObject): readonly string[] =>
  [type ?? []].flat().filter((each): each is string => each !== 'null');

function fits(schema: SchemaObject, value: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.format === 'date-time' && !/T.*Z$/.test(String(value))) return false;
  if (schema.format === 'date' && !/^\d{4}-\d\d-\d\d$/.test(String(value))) return false;
  const kind = Array.isArray(value) ? 'array' : typeof value;
  return typesOf(schema).some((type) => (type === 'integer' ? Number.isInteger(value) : type === kind));
}

function made(name: string, schema: SchemaObject): unknown {
  const [type] = typesOf(schema);
  if (type === 'integer' || type === 'number') return Number(schema.minimum ?? 1);
  if (type === 'boolean') return true;
  if (type !== 'string') return undefined;
  if (schema.format === 'date-time') return INSTANT;
  if (schema.format === 'date') return DAY;
  if (schema.format === 'password') return 'correct horse battery staple';
  if (schema.format === 'binary') return undefined;
  return BY_ENDING.find(([ending]) => ending.test(name))?.[1] ?? name.replace(/_/g, ' ');
}

/** Looks up descriptions and examples for declarations without one. */
export class VocabularyLookup {
  readonly #words: Vocabulary['entries'];

  constructor(vocabulary: Vocabulary) {
    this.#words = vocabulary.entries;
  }

  /** @param owner name of the object with the property; '' for a parameter */
  description(owner: string, name: string): string | undefined {
    return (this.#words[`${owner}.${name}`] ?? this.#words[name])?.[0];
  }

  /** An example; undefined for objects, whose properties have their own. */
  example(owner: string, name: string, schema: SchemaObject): unknown {
    const alternatives = schema.anyOf as SchemaObject[] | undefined;
    if (alternatives !== undefined && schema.type === undefined) {
      return alternatives.map((each) => this.example(owner, name, each)).find((value) => value !== undefined);
    }
    const { examples, example, default: fallback, const: fixed, items } = schema;
    const known = (this.#words[`${owner}.${name}`] ?? this.#words[name])?.[1];
    if (Array.isArray(examples)) return examples[0];
    if (example !== undefined || fixed !== undefined) return example ?? fixed;
    if (known !== undefined && fits(schema, known)) return known;
    if (Array.isArray(schema.enum)) return schema.enum.find((each) => each !== null);
    if (fallback !== undefined && fits(schema, fallback)) return fallback;
    if (items === undefined) return made(name, schema);
    const item = this.example(owner, name.replace(/s$/, ''), items);
    return item === undefined ? undefined : [item];
  }
}
