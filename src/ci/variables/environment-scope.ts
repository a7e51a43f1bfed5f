import { matchesWildcard } from '../../core/wildcard.ts';
import type { StoredVariable } from '../compile-request.ts';
import type { Variable } from './variable.ts';

/**
 * Whether a stored variable is for jobs that deploy to an environment.
 * @param environment its name, expanded; null for jobs without one, which have only what is for all
 */
export const isFor = ({ environmentScope: scope }: StoredVariable, environment: string | null): boolean =>
  scope === '*' || (environment !== null && (scope === environment || matchesWildcard(scope, environment)));

/** The stored variables that jobs have which deploy to an environment, in their order. @param environment see `isFor` */
export const inEnvironment = (stored: readonly StoredVariable[], environment: string | null): Variable[] =>
  stored
    .filter((variable) => isFor(variable, environment))
    .map(({ environmentScope: _scope, ...variable }) => variable);
