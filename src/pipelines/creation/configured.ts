import { entryAt } from '../../git/tree.ts';
import type { PushFact } from '../../repositories/push-facts.ts';
import { ownConfigPath } from './config-content.ts';

/** Notes of a branch that was moved on by one commit that nothing is there that would make pipelines of it. */
export const noteMissingConfig: PushFact = async (repo, { new: oid, commit }, project) => {
  if (oid === null || commit === undefined || project === null) return {};
  const path = ownConfigPath(project);
  return path !== null && (await entryAt(repo, oid, path)) === null ? { configured: false } : {};
};
