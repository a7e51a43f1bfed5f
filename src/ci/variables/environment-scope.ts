import { matchesWildcard } from '../../core/wildcard.ts';
import type { StoredVariable } from '../compile-request.ts';
import type { Variable } from './variable.ts';

/**
 * The stored variables that a job has which deploys to an environment, in their order.
 * @param environment its name, expanded; null for a job without one: it has only those for all environments
 */
export const inEnvironment = (stored: readonly StoredVariable[], environment: string | null): Variable[] =>
  stored
    .filter(
      ({ environmentScope: scope }) =>
        scope === '*' || (environment !== null && (scope === environment || matchesWildcard(scope, environment))),
    )
    .map(({ environmentScope: _scope, ...variable }) => variable);
