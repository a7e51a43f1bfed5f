import { prepared } from '../../db/prepared.ts';
import type { Deps } from '../../deps.ts';
import { entryAt } from '../../git/tree.ts';
import type { PushFact } from '../../repositories/push-facts.ts';
import { ownConfigPath } from './config-content.ts';

const settingsOf = prepared((db, { id }: { id: number }) =>
  db.selectFrom('projects').select('settings').where('id', '=', id),
);

/** Notes of a branch that was moved on by one commit that nothing is there that would make pipelines of it. */
export const noteMissingConfig =
  (deps: Deps): PushFact =>
  async (repo, projectId, { new: oid, commit }) => {
    if (oid === null || commit === undefined) return {};
    const [project] = await settingsOf(deps.db, { id: projectId });
    const path = project === undefined ? null : ownConfigPath(project);
    return path !== null && (await entryAt(repo, oid, path)) === null ? { configured: false } : {};
  };
