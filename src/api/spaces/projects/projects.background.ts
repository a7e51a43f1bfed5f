import type { Deps } from '../../../deps.ts';
import { registerCopies } from './repository-copy.ts';
import { registerImports } from './repository-import.ts';
import { registerStatistics } from './statistics.ts';

/** Registers the background work of projects. */
export function registerProjectWork(deps: Deps): void {
  registerCopies(deps);
  registerImports(deps);
  registerStatistics(deps);
}
