import { type TSchema, Type } from 'typebox';
import { DIALECTS, type Dialect } from '../config/config.ts';
import { Nullable } from './schema.ts';

export type { Dialect };

interface Way<T> {
  /** @param plain what the declaration says of the value, where the schema is made of it */
  schema(plain: TSchema): TSchema;
  write(value: T): unknown;
}

/** One difference: the same value in either dialect. */
interface Difference<T> extends Record<Dialect, Way<T>> {
  /** Where in answers it is. */
  where: string;
}

const difference = <T>(made: Difference<T>): Difference<T> => made;
const asIs = <T>(value: T): T => value;
const plainly = (plain: TSchema): TSchema => plain;
const thousands = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

const USER_LIST = 'svcUserList';
const GITLAB_USER_LIST = 'gitlabUserList';

/** Every difference of the dialects. */
export const DIFFERENCES = {
  code_owner_approval_required: difference<boolean>({
    where: '`code_owner_approval_required` of `protected_branches` in approval rules of projects',
    specification: { schema: () => Type.String({ description: '`true` or `false`, as text.' }), write: String },
    gitlab: { schema: () => Type.Boolean(), write: asIs },
  }),
  strategy_name: difference<string>({
    where: '`name` of strategies of feature flags that have a user list',
    specification: { schema: plainly, write: asIs },
    gitlab: {
      schema: (plain) => {
        const values = (plain as { enum?: string[] }).enum ?? [];
        return { ...plain, enum: values.map((name) => (name === USER_LIST ? GITLAB_USER_LIST : name)) };
      },
      write: (name) => (name === USER_LIST ? GITLAB_USER_LIST : name),
    },
  }),
  relation_export_status: difference<object>({
    where: '`GET .../export_relations/status` with `relation`',
    specification: { schema: (entry) => Type.Array(entry), write: (entry) => [entry] },
    gitlab: { schema: (entry) => Type.Union([Type.Array(entry), entry]), write: asIs },
  }),
  invitation_expires_at: difference<string | null>({
    where: '`expires_at` of invitations',
    specification: { schema: plainly, write: asIs },
    gitlab: {
      schema: ({ description }: { description?: string }) =>
        Nullable(Type.Unsafe<string>({ type: 'string', format: 'date-time', description })),
      write: (day) => (day === null ? null : `${day}T00:00:00.000Z`),
    },
  }),
  statistics_count: difference<number>({
    where: 'the numbers of `GET /application/statistics`',
    specification: { schema: plainly, write: thousands },
    gitlab: {
      schema: ({ description }: { description?: string }) => Type.Integer({ description }),
      write: asIs,
    },
  }),
};
type Name = keyof typeof DIFFERENCES;
type ValueOf<N extends Name> = Parameters<(typeof DIFFERENCES)[N]['gitlab']['write']>[0];

/**
 * The schema of a value that the dialects write in different ways: the OpenAPI document has that of the dialect served.
 * @param plain what it is made of, where the difference does not say all
 */
export const Dialectal = <T = unknown>(name: Name, plain: TSchema = Type.Unknown()) => {
  const schemas = DIALECTS.map((dialect) => [dialect, DIFFERENCES[name][dialect].schema(plain)] as const);
  return Type.Unsafe<T>({ anyOf: schemas.map(([, schema]) => schema), 'x-dialects': Object.fromEntries(schemas) });
};

/** The value as the dialect has it. */
export function inDialect<T = unknown, N extends Name = Name>(dialect: Dialect, name: N, value: ValueOf<N>): T {
  return (DIFFERENCES[name][dialect] as Way<ValueOf<N>>).write(value) as T;
}
