import type { FieldErrors } from '../core/errors.ts';
import { isStorable } from '../core/storable.ts';
import { STRATEGY_NAMES, type StrategyName } from '../db/tables/feature-flag-strategies.ts';
import { areUserIds, USER_IDS_RULE } from './user-ids.ts';

/** How many flags a project may have. */
export const MOST_FLAGS = 200;
/** How many strategies a flag may have, and environments a strategy. */
export const MOST_STRATEGIES = 50;
export const MOST_SCOPES = 100;

const MOST_TEXT = 255;
const tooLong = (most: number) => `is too long (maximum is ${most} characters)`;

/** What is wrong with the name of a flag; nothing for a good one. */
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

/** What is wrong with the description of a flag. */
export const descriptionErrors = (description: string | null): string[] =>
  (description ?? '').length > MOST_TEXT ? [tooLong(MOST_TEXT)] : [];

/** A strategy as it is going to be. */
export interface WantedStrategy {
  /** Of one that is there. */
  id: number | undefined;
  name: string;
  parameters: unknown;
  /** As the client names it; null for none. */
  userListId: number | string | null;
  scopes: { id: number | undefined; environment_scope: string }[];
}

type Parameters = Readonly<Record<string, unknown>>;

const isPercentage = (value: unknown): boolean => typeof value === 'string' && /^([1-9]?\d|100)$/.test(value);
const groupErrors = ({ groupId }: Parameters): string[] =>
  typeof groupId === 'string' && /^[a-z]{1,32}$/.test(groupId) ? [] : ['groupId parameter is invalid'];
const rangeErrors = (name: string, value: unknown): string[] =>
  isPercentage(value) ? [] : [`${name} must be a string between 0 and 100 inclusive`];

/** What the strategies are told: the names, and what must hold of the values. */
const PARAMETERS: Record<StrategyName, { keys: readonly string[]; errors: (given: Parameters) => string[] }> = {
  default: { keys: [], errors: () => [] },
  svcUserList: { keys: [], errors: () => [] },
  userWithId: {
    keys: ['userIds'],
    errors: ({ userIds }) =>
      typeof userIds === 'string' && areUserIds(userIds) && isStorable(userIds) ? [] : [`userIds ${USER_IDS_RULE}`],
  },
  gradualRolloutUserId: {
    keys: ['groupId', 'percentage'],
    errors: (given) => [...rangeErrors('percentage', given.percentage), ...groupErrors(given)],
  },
  flexibleRollout: {
    keys: ['groupId', 'rollout', 'stickiness'],
    errors: (given) => [
      ...rangeErrors('rollout', given.rollout),
      ...(['default', 'userId', 'sessionId', 'random'].includes(given.stickiness as string)
        ? []
        : ['stickiness parameter must be default, userId, sessionId, or random']),
      ...groupErrors(given),
    ],
  },
};

/** The name by which a strategy is kept: the platform's own name of the one with a user list is taken, too. */
export const keptStrategyName = (name: string): string => (name === 'gitlabUserList' ? 'svcUserList' : name);

export const isStrategyName = (name: string): name is StrategyName => STRATEGY_NAMES.some((known) => known === name);

function parameterErrors(name: StrategyName, given: unknown): string[] {
  const { keys, errors } = PARAMETERS[name];
  const wrong = ['parameters are invalid'];
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return wrong;
  const named = Object.keys(given);
  if (named.length !== keys.length || !keys.every((key) => named.includes(key))) return wrong;
  return errors(given as Parameters);
}

function scopeErrors(scopes: readonly { environment_scope: string }[]): string[] {
  const seen = new Set<string>();
  const errors = new Set<string>();
  for (const { environment_scope: scope } of scopes) {
    if (scope.trim() === '') errors.add("can't be blank");
    else if (scope.length > MOST_TEXT) errors.add(tooLong(MOST_TEXT));
    else if (!/^[a-zA-Z0-9_/${}. \-*]+$/.test(scope)) {
      errors.add("can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces");
    } else if (seen.has(scope)) errors.add('has already been taken');
    seen.add(scope);
  }
  return [...errors];
}

/**
 * What is wrong with the strategies of a flag, by field.
 * @param isList whether an id is that of a user list of the project
 */
export function strategyErrors(
  strategies: readonly WantedStrategy[],
  isList: (id: number | string) => boolean,
): FieldErrors {
  const found = new Map<string, Set<string>>();
  const add = (field: string, texts: readonly string[]) => {
    const known = found.get(field) ?? new Set();
    for (const text of texts) known.add(text);
    if (known.size > 0) found.set(field, known);
  };
  const many = [
    ...(strategies.length > MOST_STRATEGIES ? [`Maximum number of strategies (${MOST_STRATEGIES}) exceeded`] : []),
    ...(strategies.some(({ scopes }) => scopes.length > MOST_SCOPES)
      ? [`Maximum number of scopes of a strategy (${MOST_SCOPES}) exceeded`]
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
  return Object.fromEntries([...found].map(([field, texts]) => [field, [...texts]]));
}
