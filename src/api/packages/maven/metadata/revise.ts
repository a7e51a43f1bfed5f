import { isSnapshot } from '../maven.paths.ts';
import { childOf, childrenOf, type Element, parseDocument, textOf, writeDocument } from './maven-metadata.document.ts';

/** Remaining versions and plugins that a document may list. */
export interface RemainingVersions {
  /** Whether the artifact has this version. */
  hasVersion(version: string): boolean;
  /** Whether the group has any version of this plugin. */
  hasPlugin(artifactId: string): boolean;
}

/**
 * Removes deleted versions and plugins, and updates `latest` and `release`, in the metadata of an artifact or of a
 * group of plugins.
 * @param now time of the change
 * @returns the new text; null if nothing remains; undefined if it is unchanged or cannot be parsed
 */
export async function updateMetadata(
  text: string,
  remaining: RemainingVersions,
  now: Date,
): Promise<string | null | undefined> {
  const root = await parseDocument(text);
  if (root?.name !== 'metadata') return undefined;
  const versionsGone = withoutVersions(root, remaining, now);
  const pluginsGone = withoutPlugins(root, remaining);
  if (!versionsGone && !pluginsGone) return undefined;
  return childOf(root, 'versioning') === undefined && childOf(root, 'plugins') === undefined
    ? null
    : writeDocument(root);
}

function drop(parent: Element, children: readonly Element[]): void {
  const removed: ReadonlySet<Element | string> = new Set(children);
  parent.children = parent.children.filter((child) => !removed.has(child));
}

function withoutVersions(root: Element, remaining: RemainingVersions, now: Date): boolean {
  const versioning = childOf(root, 'versioning');
  const versions = childOf(versioning, 'versions');
  if (versioning === undefined || versions === undefined) return false;
  const deleted = childrenOf(versions, 'version').filter((version) => !remaining.hasVersion(textOf(version)));
  if (deleted.length === 0) return false;
  drop(versions, deleted);
  const remainingNames = childrenOf(versions, 'version').map(textOf);
  if (remainingNames.length === 0) {
    drop(root, [versioning]);
    return true;
  }
  point(versioning, 'latest', remainingNames);
  point(
    versioning,
    'release',
    remainingNames.filter((version) => !isSnapshot(version)),
  );
  const updated = childOf(versioning, 'lastUpdated');
  if (updated !== undefined) updated.children = [now.toISOString().replace(/\D/g, '').slice(0, 14)];
  return true;
}

/** Sets an element to the last remaining version if its version was deleted; removes it if there is none. */
function point(versioning: Element, name: 'latest' | 'release', remaining: readonly string[]): void {
  const pointer = childOf(versioning, name);
  if (pointer === undefined || remaining.includes(textOf(pointer))) return;
  const last = remaining.at(-1);
  if (last === undefined) drop(versioning, [pointer]);
  else pointer.children = [last];
}

function withoutPlugins(root: Element, remaining: RemainingVersions): boolean {
  const plugins = childOf(root, 'plugins');
  if (plugins === undefined) return false;
  const deleted = childrenOf(plugins, 'plugin').filter(
    (plugin) => !remaining.hasPlugin(textOf(childOf(plugin, 'artifactId'))),
  );
  if (deleted.length === 0) return false;
  drop(plugins, deleted);
  if (childrenOf(plugins, 'plugin').length === 0) drop(root, [plugins]);
  return true;
}
