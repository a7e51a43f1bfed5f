import { matchesWildcard } from '../../core/wildcard.ts';
import type { StoredVariable } from '../compile-request.ts';
import type { Variable } from './variable.ts';

/**
 * Whether the environment scope of a stored variable matches.
 * @param environment expanded environment name; null for jobs without one, which only match the scope `*`
 */
export const isFor = ({ environmentScope: scope }: StoredVariable, environment: string | null): boolean =>
  scope === '*' || (environment !== null && (scope === environment || matchesWildcard(scope, environment)));

/** Stored variables for jobs in an environment, in order. @param environment see `isFor` */
export const inEnvironment = (stored: readonly StoredVariable[], environment: string | null): Variable[] =>
  stored
    .filter((variable) => isFor(variable, environment))
    .map(({ environmentScope: _scope, ...variable }) => variable);
