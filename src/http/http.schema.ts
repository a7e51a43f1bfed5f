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

/** One of a few texts. */
export const Enum = <const T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

/** One of a few numbers. */
export const IntegerEnum = <const T extends number>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'integer', enum: [...values], ...options });

/** An instant, ISO 8601. As a parameter it also takes a plain day, and is handed on as `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
export const Instant = (options: object = {}) =>
  Type.Unsafe<string>({ type: 'string', format: 'date-time', ...options });

/** A calendar day, `YYYY-MM-DD`. */
export const Day = (options: object = {}) => Type.Unsafe<string>({ type: 'string', format: 'date', ...options });

/** A text that must not be blank when it is given. */
export const Filled = (options: object = {}) => Type.String({ minLength: 1, ...options });

/** A password, token or key of a caller: the log never shows it, wherever it was sent. */
export const Secret = (options: object = {}) => Type.Unsafe<string>({ type: 'string', format: 'password', ...options });

/** A list that clients may also send as one text with commas. */
export const List = <T extends TSchema>(items: T, options: object = {}) =>
  Type.Array(items, { 'x-comma-separated': true, ...options });

/**
 * A parameter that belongs to a plan: on a lower one it is as if it had not been sent, or its list ends after so many elements.
 * For the options of a schema.
 */
export const ofPlan = (plan: 'premium' | 'ultimate', kept = 0) => ({
  'x-plan': plan,
  ...(kept === 0 ? {} : { 'x-plan-keeps': kept }),
});

/** A file sent in a multipart body. */
export const Upload = (options: object = {}) =>
  Type.Unsafe<UploadedFile | string>({ type: 'string', format: 'binary', ...options });

/** The content of a file: a text, a file of a multipart body, or a text that is too long to be kept in memory. */
export const Content = (options: object = {}) =>
  Type.Unsafe<UploadedFile | SpooledText | string>({ type: 'string', format: 'binary', 'x-spooled': true, ...options });

/** `page` and `per_page` of every list (part 1, section 1.6). */
export const pagination = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'Page number, from 1.' })),
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, default: 20, description: 'Items on a page; more than 100 are cut to 100.' }),
  ),
};

/** Every property optional. */
export const optional = <T extends TProperties>(properties: T) => Type.Partial(Type.Object(properties));

/** The properties of an object schema. */
export const propertiesOf = (schema: TObject): Record<string, TSchema> => schema.properties as Record<string, TSchema>;
