import { readFile } from 'node:fs/promises';
import { bundlesBeside } from './seed-bundles.ts';
import { parseSeed } from './seed-document.ts';

/** Media type of a seed that is sent with the repositories that it imports. */
export const BUNDLED_SEED = 'application/vnd.stithy.seed+json';

/** A seed with git bundles, base64, by the paths that its projects import. */
export interface BundledSeed {
  file: string;
  text: string;
  bundles: Record<string, string>;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether a client has sent such a seed. */
export function isBundledSeed(value: unknown): value is BundledSeed {
  if (typeof value !== 'object' || value === null) return false;
  const { file, text, bundles } = value as Record<string, unknown>;
  const isMap = typeof bundles === 'object' && bundles !== null && !Array.isArray(bundles);
  return isText(file) && isText(text) && isMap && Object.values(bundles).every(isText);
}

/**
 * A seed file as it is sent to a server elsewhere.
 * @throws SeedError for what is neither YAML nor JSON; SeedMistake for an import that is no repository
 */
export async function bundledSeed(text: string, file: string): Promise<BundledSeed> {
  const { value } = parseSeed(text, file);
  const { bundles: find, remove } = bundlesBeside(file);
  const bundles: Record<string, string> = {};
  try {
    for (const path of importsOf(value)) {
      const bundle = await find(path);
      if (bundle !== null) bundles[path] = (await readFile(bundle)).toString('base64');
    }
  } finally {
    await remove();
  }
  return { file, text, bundles };
}

/** Paths that projects of a seed import; the server checks the rest of it. */
function importsOf(seed: unknown): Set<string> {
  const { projects } = (seed ?? {}) as { projects?: unknown };
  const all = Array.isArray(projects) ? (projects as unknown[]) : [];
  return new Set(all.map((project) => (project as { import?: unknown } | null)?.import).filter(isText));
}
