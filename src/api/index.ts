import type { Deps } from '../deps.ts';
import type { Route } from '../http/http.route.ts';
import type { Vocabulary } from '../http/openapi/openapi.words.ts';
import { registerBlobRemoval } from '../storage/unused-blobs.ts';
import { admin } from './admin/index.ts';
import type { Area } from './area.ts';
import { ci } from './ci/index.ts';
import { code } from './code/index.ts';
import { delivery } from './delivery/index.ts';
import { graphql } from './graphql/index.ts';
import { identity } from './identity/index.ts';
import { imports } from './imports/index.ts';
import { integrations } from './integrations/index.ts';
import { notifications } from './notifications/index.ts';
import { packages } from './packages/index.ts';
import { planning } from './planning/index.ts';
import { search } from './search/index.ts';
import { spaces } from './spaces/index.ts';

/** All areas in order: each may import only those before it. */
const areas: readonly Area[] = [
  identity,
  spaces,
  code,
  planning,
  ci,
  packages,
  delivery,
  integrations,
  notifications,
  imports,
  admin,
  search,
  graphql,
];

/** Every endpoint of the API. */
export const routes: readonly Route[] = areas.flatMap((area) => area.routes);

/**
 * Vocabulary of the API: names of objects, and descriptions of fields and parameters by name. Descriptions in
 * declarations take precedence.
 */
export async function vocabulary(): Promise<Vocabulary> {
  const { commonWords } = await import('./common-words.ts');
  const all = await Promise.all(areas.map((area) => area.vocabulary?.()));
  return {
    entries: Object.assign({}, commonWords, ...all.map((each) => each?.entries)),
    objects: Object.assign({}, ...all.map((each) => each?.objects)),
  };
}

/** Registers the background work of all areas: job kinds and event subscribers. */
export function registerBackgroundWork(deps: Deps): void {
  registerBlobRemoval(deps);
  for (const area of areas) area.register?.(deps);
}

/**
 * Recovers work that was interrupted when the server stopped. Call it at the start, after ref intents are recovered.
 */
export async function recoverBackgroundWork(deps: Deps): Promise<void> {
  for (const area of areas) await area.recover?.(deps);
}
