import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import type { SpooledText } from './params/request-body.ts';
import type { UploadedFile } from './params/uploaded-file.ts';

/** The same schema, or null. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, enum: values, ...rest } = schema as T & { type?: string; enum?: unknown[] };
  if (type === undefined) return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  });
}

/** One of several texts. */
export const Enum = <const T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

/** One of several numbers. */
export const IntegerEnum = <const T extends number>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'integer', enum: [...values], ...options });

/** An instant, ISO 8601. As a parameter it also accepts a day, and is converted to `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export const Instant = (options: object = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'date-time', ...options });

/** A calendar day, `YYYY-MM-DD`. */
export const Day = (options: object = {}) => Type.Unsafe<string>({ type: 'string', format: 'date', ...options });

/** A text that must not be blank if given. */
export const Filled = (options: object = {}) => Type.String({ minLength: 1, ...options });

/** A password, token or key of a caller, which is masked in the log. */
export const Secret = (options: object = {}) => Type.Unsafe<string>({ type: 'string', format: 'password', ...options });

/** A list that clients may also send as one text separated by commas. */
export const List = <T extends TSchema>(items: T, options: object = {}) =>
  Type.Array(items, { 'x-comma-separated': true, ...options });

/**
 * Options for a parameter that belongs to a plan: on a lower plan it is ignored, or its list is cut to this many
 * elements.
 */
export const ofPlan = (plan: 'premium' | 'ultimate', freeElements = 0) => ({
  'x-plan': plan,
  ...(freeElements === 0 ? {} : { 'x-plan-keeps': freeElements }),
});

/** A file sent in a multipart body. */
export const Upload = (options: object = {}) =>
  Type.Unsafe<UploadedFile | string>({ type: 'string', format: 'binary', ...options });

/** Content of a file: a text, a file of a multipart body, or a text too long for memory. */
export const Content = (options: object = {}) =>
  Type.Unsafe<UploadedFile | SpooledText | string>({ type: 'string', format: 'binary', 'x-spooled': true, ...options });

/** `page` and `per_page` of lists (part 1, section 1.6). */
export const pagination = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Page number (default: 1).' })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, default: 20, description: 'Number of items per page; at most 100.' }),
  ),
};

/** Makes every property optional. */
export const optional = <T extends TProperties>(properties: T) => Type.Partial(Type.Object(properties));

/** The properties of an object schema. */
export const propertiesOf = (schema: TObject): Record<string, TSchema> => schema.properties as Record<string, TSchema>;
