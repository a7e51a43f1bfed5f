import { type TSchema, Type } from 'typebox';
import { DIALECTS, type Dialect } from '../config/config.ts';
import { Nullable } from './http.schema.ts';

export type { Dialect };

interface Representation<T> {
  /** @param base declared schema of the value, from which the result may be derived */
  schema(base: TSchema): TSchema;
  serialize(value: T): unknown;
}

/** A value with a different representation in each dialect. */
interface Difference<T> extends Record<Dialect, Representation<T>> {
  /** Its place in answers. */
  where: string;
}

const difference = <T>(made: Difference<T>): Difference<T> => made;
const identity = <T>(value: T): T => value;
const sameSchema = (base: TSchema): TSchema => base;
const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const USER_LIST = 'svcUserList';
const GITLAB_USER_LIST = 'gitlabUserList';

/** All differences between the dialects. */
export const DIFFERENCES = {
  code_owner_approval_required: difference<boolean>({
    where: '`code_owner_approval_required` of `protected_branches` in approval rules of projects',
    specification: { schema: () => Type.String({ description: '`true` or `false`, as text.' }), serialize: String },
    gitlab: { schema: () => Type.Boolean(), serialize: identity },
  }),
  strategy_name: difference<string>({
    where: '`name` of strategies of feature flags that have a user list',
    specification: { schema: sameSchema, serialize: identity },
    gitlab: {
      schema: (base) => {
        const values = (base as { enum?: string[] }).enum ?? [];
        return { ...base, enum: values.map((name) => (name === USER_LIST ? GITLAB_USER_LIST : name)) };
      },
      serialize: (name) => (name === USER_LIST ? GITLAB_USER_LIST : name),
    },
  }),
  relation_export_status: difference<object>({
    where: '`GET .../export_relations/status` with `relation`',
    specification: { schema: (entry) => Type.Array(entry), serialize: (entry) => [entry] },
    gitlab: { schema: (entry) => Type.Union([Type.Array(entry), entry]), serialize: identity },
  }),
  invitation_expires_at: difference<string | null>({
    where: '`expires_at` of invitations',
    specification: { schema: sameSchema, serialize: identity },
    gitlab: {
      schema: ({ description }: { description?: string }) =>
        Nullable(Type.Unsafe<string>({ type: 'string', format: 'date-time', description })),
      serialize: (day) => (day === null ? null : `${day}T00:00:00.000Z`),
    },
  }),
  statistics_count: difference<number>({
    where: 'the numbers of `GET /application/statistics`',
    specification: { schema: sameSchema, serialize: thousands },
    gitlab: {
      schema: ({ description }: { description?: string }) => Type.Integer({ description }),
      serialize: identity,
    },
  }),
};
type Name = keyof typeof DIFFERENCES;
type ValueOf<N extends Name> = Parameters<(typeof DIFFERENCES)[N]['gitlab']['serialize']>[0];

/**
 * Schema of a value that depends on the dialect: the OpenAPI document shows the configured one.
 * @param base base schema, if the difference needs one
 */
export const Dialectal = <T = unknown>(name: Name, base: TSchema = Type.Unknown()) => {
  const schemas = DIALECTS.map((dialect) => [dialect, DIFFERENCES[name][dialect].schema(base)] as const);
  return Type.Unsafe<T>({ anyOf: schemas.map(([, schema]) => schema), 'x-dialects': Object.fromEntries(schemas) });
};

/** The representation of a value in a dialect. */
export function inDialect<T = unknown, N extends Name = Name>(dialect: Dialect, name: N, value: ValueOf<N>): T {
  return (DIFFERENCES[name][dialect] as Representation<ValueOf<N>>).serialize(value) as T;
}
