import { requireSnippetUpdate } from '../../access/access.snippets.ts';
import type { Caller } from '../../access/caller.ts';
import type { Deps } from '../../deps.ts';
import { GitError } from '../../git/common/index.ts';
import { applicationSettings } from '../../settings/application-settings.ts';
import { repositoryOf } from '../change-refs.ts';
import { refusePushedFiles, SNIPPET_REF } from '../snippet-files.ts';
import type { Push, PushGuard } from './move-pushed-refs.ts';

/**
 * Checks a push to a snippet, which has a single branch. Its files are subject to the same rules as those sent through
 * the API.
 * @returns as `GitTarget.check`
 */
export async function checkSnippetPush(
  deps: Deps,
  caller: Caller,
  { holder, updates, quarantineEnv }: Push,
): Promise<string | PushGuard> {
  const [update, ...others] = updates;
  if (update?.ref !== SNIPPET_REF || update.old === null || update.new === null || others.length > 0) {
    return 'You can not create or delete branches.';
  }
  const { snippet_size_limit: maxBytes } = await applicationSettings(deps);
  try {
    const reason = await refusePushedFiles(repositoryOf(deps, holder), update.new, quarantineEnv, maxBytes);
    return reason ?? (() => (deps) => requireSnippetUpdate(deps, caller, holder.id));
  } catch (error) {
    if (error instanceof GitError && error.code === 'failed') return 'The files of the push cannot be read.';
    throw error;
  }
}
