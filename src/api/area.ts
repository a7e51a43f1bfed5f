import type { Deps } from '../deps.ts';
import type { Route } from '../http/http.route.ts';
import type { Vocabulary } from '../http/openapi/openapi.words.ts';

/** What an area adds to the program. Its `index.ts` also lends the few functions and types that other areas need. */
export interface Area {
  routes: readonly Route[];
  /** What its routes speak of; loaded when the reference is first asked for. */
  vocabulary?(): Promise<Vocabulary>;
  /** Names its background work (jobs by kind, subscribers of events) and takes part in the lives of users, groups, projects and refs. */
  register?(deps: Deps): void;
  /** Settles what was under way when the server ended; once interrupted writes are settled. */
  recover?(deps: Deps): Promise<void>;
}
