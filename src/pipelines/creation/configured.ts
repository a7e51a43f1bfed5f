import type { Deps } from '../../deps.ts';
import { HEADS } from '../../git/refs/index.ts';
import { entryAt } from '../../git/trees/index.ts';
import type { PushFact } from '../../repositories/push-facts.ts';
import { ownConfigPath } from './config-content.ts';
import { isFilteredOut } from './workflow-filter.ts';

/** Records for a branch moved by a single commit that there is no configuration, or that it creates no pipeline. */
export const recordConfigState =
  (deps: Deps): PushFact =>
  async (repo, { ref, new: oid, commit }, project) => {
    if (oid === null || commit === undefined || project === null) return {};
    const path = ownConfigPath(project);
    if (path === null) return {};
    const entry = await entryAt(repo, oid, path);
    if (entry === null) return { configured: false };
    const branch = ref.slice(HEADS.length);
    return entry.type === 'blob' && (await isFilteredOut(deps, entry.oid, project.id, branch))
      ? { filtered: true }
      : {};
  };
