import { cacheKey, ResultCache } from '../../../git/common/index.ts';
import type { Commit } from '../../../git/objects/index.ts';
import { peel, type Repository } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import type { ModuleLocation } from './go.paths.ts';
import { isOfModule, readVersion, versionTime } from './go.versions.ts';

const TAGS = 'refs/tags/';
const MAX_GO_MOD_BYTES = 1024 * 1024;
const MAX_VERSIONS = 10_000;
const TAGS_AT_ONCE = 16;

/** A module at a commit. */
export interface ResolvedModule {
  commit: Commit;
  /** Folder of its `go.mod`; empty for the root. */
  folder: string;
  goMod: string;
}

/** Cached folders of modules at commits, or null. */
const places = new ResultCache<{ folder: string | null }>('go_modules', () => 100);

/** Returns the module path in `go.mod`: that of the first line that is not a comment. */
function moduleOf(goMod: string): string | undefined {
  const line = goMod.split(/\r?\n/).find((each) => !/^\s*(?:\/\/|$)/.test(each));
  return /^\s*module\s+(?:"([^"]+)"|`([^`]+)`|([^\s"`]+))\s*(?:\/\/.*)?$/
    .exec(line ?? '')
    ?.slice(1)
    .find(Boolean);
}

async function goModIn(repo: Repository, commit: string, folder: string): Promise<string | null> {
  const entry = await entryAt(repo, commit, folder === '' ? 'go.mod' : `${folder}/go.mod`);
  if (entry === null || !entry.mode.startsWith('100')) return null;
  return (await repo.objects.read(entry.oid, MAX_GO_MOD_BYTES))?.data?.toString() ?? null;
}

async function folderOf(repo: Repository, oid: string, { module, folders }: ModuleLocation): Promise<string | null> {
  const { folder } = await places.get(cacheKey(repo.key, oid, module), async () => {
    const commit = await peel(repo, oid);
    for (const each of commit === null ? [] : folders) {
      const goMod = await goModIn(repo, commit!, each);
      if (goMod !== null && moduleOf(goMod) === module) return { folder: each };
    }
    return { folder: null };
  });
  return folder;
}

async function moduleAt(repo: Repository, oid: string, location: ModuleLocation): Promise<ResolvedModule | undefined> {
  const folder = await folderOf(repo, oid, location);
  const id = folder === null ? null : await peel(repo, oid);
  const commit = id === null ? null : await repo.objects.commit(id);
  const goMod = commit === null ? null : await goModIn(repo, commit.oid, folder!);
  return goMod === null ? undefined : { commit: commit!, folder: folder!, goMod };
}

/**
 * Returns the tags of a module by version. Tags of a module in a folder have that folder as prefix; if there are none,
 * tags of the whole repository are used.
 */
async function tagsOf(repo: Repository, location: ModuleLocation): Promise<Map<string, string>> {
  const own = location.folder === '' ? TAGS : `${TAGS}${location.folder}/`;
  const refs = await repo.refs.list(TAGS);
  for (const prefix of new Set([own, TAGS])) {
    const versions = refs
      .filter(({ name }) => name.startsWith(prefix) && isTagOf(location, name.slice(prefix.length)))
      .map(({ name, oid }) => [name.slice(prefix.length), oid] as const);
    if (versions.length > 0) return new Map(versions);
  }
  return new Map();
}

function isTagOf(location: ModuleLocation, tag: string): boolean {
  const version = readVersion(tag);
  return version !== undefined && version.commit === null && isOfModule(location, version);
}

/** Returns the versions of a module that are tags; the latest if there are very many. */
export async function versionsOfModule(repo: Repository, location: ModuleLocation): Promise<string[]> {
  const tags = [...(await tagsOf(repo, location))].slice(-MAX_VERSIONS);
  const versions: string[] = [];
  for (let at = 0; at < tags.length; at += TAGS_AT_ONCE) {
    const batch = tags.slice(at, at + TAGS_AT_ONCE);
    const folders = await Promise.all(batch.map(([, oid]) => folderOf(repo, oid, location)));
    versions.push(...batch.flatMap(([version], index) => (folders[index] === null ? [] : [version])));
  }
  return versions;
}

/** Returns a version of a module, by tag or pseudo-version; undefined if there is none. */
export async function findModule(
  repo: Repository,
  location: ModuleLocation,
  text: string,
): Promise<ResolvedModule | undefined> {
  const version = readVersion(text);
  if (version === undefined || !isOfModule(location, version)) return undefined;
  if (version.commit === null) {
    const oid = (await tagsOf(repo, location)).get(text);
    return oid === undefined ? undefined : moduleAt(repo, oid, location);
  }
  const { time, prefix } = version.commit;
  const id = (await repo.objects.info(`${prefix}^{commit}`))?.oid;
  // Git may resolve the digits as the name of a branch.
  const commit = id?.startsWith(prefix) ? await repo.objects.commit(id) : null;
  if (commit === null || versionTime(commit.committer.date) !== time) return undefined;
  return moduleAt(repo, commit.oid, location);
}
