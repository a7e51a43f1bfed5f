import type { Deps } from '../deps.ts';
import type { Route } from '../http/http.route.ts';
import type { Vocabulary } from '../http/openapi/openapi.words.ts';

/** What an area adds to the program. Its `index.ts` also exports the few functions and types that other areas need. */
export interface Area {
  routes: readonly Route[];
  /** Descriptions for the OpenAPI document; loaded on its first request. */
  vocabulary?(): Promise<Vocabulary>;
  /** Registers job kinds, event subscribers, and hooks into the lifecycle of users, groups, projects and refs. */
  register?(deps: Deps): void;
  /** Recovers work that was interrupted when the server stopped; runs after ref intents are recovered. */
  recover?(deps: Deps): Promise<void>;
}
