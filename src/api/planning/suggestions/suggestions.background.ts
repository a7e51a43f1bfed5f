import type { Deps } from '../../../deps.ts';
import { recordApplied } from './record-applied.ts';

/** Registers what follows the commit that applies suggestions. */
export function registerSuggestions(deps: Deps): void {
  deps.refChanges.project.observers.push(recordApplied(deps));
}
