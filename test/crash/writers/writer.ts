import type { Random } from '../random.ts';
import type { Site, World } from '../world.ts';

/** Somebody who writes to a site, one request after the other, each to refs that are nobody else's. */
export interface Writer {
  name: string;
  /** Sends one request that changes something. @throws Refused */
  step(): Promise<void>;
}

export interface WriterContext {
  world: World;
  site: Site;
  random: Random;
  /** Part of every name the writer makes. */
  name: string;
}

/** Path of the site's repository below the API. */
export const repositoryPath = (site: Site): string => `/projects/${site.id}/repository`;

/** A path or name as one segment of an address. */
export const segment = (text: string): string => encodeURIComponent(text);
