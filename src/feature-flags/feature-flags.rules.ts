import type { FieldErrors } from '../core/core.errors.ts';
import { isDatabaseText } from '../core/database-text.ts';
import { STRATEGY_NAMES, type StrategyName } from '../db/tables/feature-flag-strategies.table.ts';
import { areUserIds, USER_IDS_RULE } from './user-ids.ts';

/** Maximum number of flags of a project. */
export const MAX_FLAGS = 200;
/** Maximum number of strategies of a flag, and of environments of a strategy. */
export const MAX_STRATEGIES = 50;
export const MAX_SCOPES = 100;

const MAX_TEXT = 255;
const tooLong = (max: number) => `is too long (maximum is ${max} characters)`;

/** Errors of a flag's name; empty if it is valid. */
export function nameErrors(name: string): string[] {
  return [
    ...(name.trim() === '' ? ["can't be blank"] : []),
    ...(name.length < 2 ? ['is too short (minimum is 2 characters)'] : []),
    ...(name.length > 63 ? [tooLong(63)] : []),
    ...(/^[a-z]([-_a-z0-9]*[a-z0-9])?$/.test(name)
      ? []
      : [
          "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'",
        ]),
  ];
}

/** Errors of a flag's description; empty if it is valid. */
export const descriptionErrors = (description: string | null): string[] =>
  (description ?? '').length > MAX_TEXT ? [tooLong(MAX_TEXT)] : [];

/** The requested state of a strategy. */
export interface StrategyInput {
  /** Id of an existing strategy. */
  id: number | undefined;
  name: string;
  parameters: unknown;
  /** The user list as given by the client; null for none. */
  userListId: number | string | null;
  scopes: { id: number | undefined; environment_scope: string }[];
}

type Parameters = Readonly<Record<string, unknown>>;

const isPercentage = (value: unknown): boolean => typeof value === 'string' && /^([1-9]?\d|100)$/.test(value);
const groupErrors = ({ groupId }: Parameters): string[] =>
  typeof groupId === 'string' && /^[a-z]{1,32}$/.test(groupId) ? [] : ['groupId parameter is invalid'];
const rangeErrors = (name: string, value: unknown): string[] =>
  isPercentage(value) ? [] : [`${name} must be a string between 0 and 100 inclusive`];

/** Parameters of strategies: their names, and the rules for their values. */
const PARAMETERS: Record<StrategyName, { keys: readonly string[]; errors: (input: Parameters) => string[] }> = {
  default: { keys: [], errors: () => [] },
  svcUserList: { keys: [], errors: () => [] },
  userWithId: {
    keys: ['userIds'],
    errors: ({ userIds }) =>
      typeof userIds === 'string' && areUserIds(userIds) && isDatabaseText(userIds) ? [] : [`userIds ${USER_IDS_RULE}`],
  },
  gradualRolloutUserId: {
    keys: ['groupId', 'percentage'],
    errors: (input) => [...rangeErrors('percentage', input.percentage), ...groupErrors(input)],
  },
  flexibleRollout: {
    keys: ['groupId', 'rollout', 'stickiness'],
    errors: (input) => [
      ...rangeErrors('rollout', input.rollout),
      ...(['default', 'userId', 'sessionId', 'random'].includes(input.stickiness as string)
        ? []
        : ['stickiness parameter must be default, userId, sessionId, or random']),
      ...groupErrors(input),
    ],
  },
};

/** The stored name of a strategy; the platform's own name for the one with a user list is accepted as well. */
export const storedStrategyName = (name: string): string => (name === 'gitlabUserList' ? 'svcUserList' : name);

export const isStrategyName = (name: string): name is StrategyName => STRATEGY_NAMES.some((known) => known === name);

function parameterErrors(name: StrategyName, input: unknown): string[] {
  const { keys, errors } = PARAMETERS[name];
  const wrong = ['parameters are invalid'];
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return wrong;
  const named = Object.keys(input);
  if (named.length !== keys.length || !keys.every((key) => named.includes(key))) return wrong;
  return errors(input as Parameters);
}

function scopeErrors(scopes: readonly { environment_scope: string }[]): string[] {
  const seen = new Set<string>();
  const errors = new Set<string>();
  for (const { environment_scope: scope } of scopes) {
    if (scope.trim() === '') errors.add("can't be blank");
    else if (scope.length > MAX_TEXT) errors.add(tooLong(MAX_TEXT));
    else if (!/^[a-zA-Z0-9_/${}. \-*]+$/.test(scope)) {
      errors.add("can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces");
    } else if (seen.has(scope)) errors.add('has already been taken');
    seen.add(scope);
  }
  return [...errors];
}

/**
 * Errors of the strategies of a flag, by field.
 * @param isList whether an id is that of a user list of the project
 */
export function strategyErrors(
  strategies: readonly StrategyInput[],
  isList: (id: number | string) => boolean,
): FieldErrors {
  const errors = new Map<string, Set<string>>();
  const add = (field: string, texts: readonly string[]) => {
    const known = errors.get(field) ?? new Set();
    for (const text of texts) known.add(text);
    if (known.size > 0) errors.set(field, known);
  };
  const many = [
    ...(strategies.length > MAX_STRATEGIES ? [`Maximum number of strategies (${MAX_STRATEGIES}) exceeded`] : []),
    ...(strategies.some(({ scopes }) => scopes.length > MAX_SCOPES)
      ? [`Maximum number of scopes of a strategy (${MAX_SCOPES}) exceeded`]
      : []),
  ];
  add('base', many);
  for (const { name, parameters, userListId, scopes } of strategies) {
    if (isStrategyName(name)) add('strategies.parameters', parameterErrors(name, parameters));
    else add('strategies.name', ['strategy name is invalid']);
    add('strategies.scopes.environment_scope', scopeErrors(scopes));
    if (name !== 'svcUserList') add('user_list', userListId === null ? [] : ['must be blank']);
    else if (userListId === null) add('user_list', ["can't be blank"]);
    else add('user_list', isList(userListId) ? [] : ['must belong to the same project']);
  }
  return Object.fromEntries([...errors].map(([field, texts]) => [field, [...texts]]));
}
