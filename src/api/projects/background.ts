import type { Deps } from '../../deps.ts';
import { registerRemoval } from './destroy.ts';
import { registerCopies } from './repository-copy.ts';
import { registerImports } from './repository-import.ts';
import { registerStatistics } from './statistics.ts';

/** The background work of projects. */
export function registerProjectWork(deps: Deps): void {
  registerRemoval(deps);
  registerCopies(deps);
  registerImports(deps);
  registerStatistics(deps);
}
