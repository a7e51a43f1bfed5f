import type { Deps } from '../../deps.ts';
import { registerRemoval } from './destroy.ts';

/** The background work of projects. */
export function registerProjectWork(deps: Deps): void {
  registerRemoval(deps);
}
