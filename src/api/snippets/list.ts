import type { Caller } from '../../access/caller.ts';
import type { ProjectPermissions } from '../../access/permissions.ts';
import { readableSnippets } from '../../access/snippets.ts';
import { openVisibilities } from '../../access/visible-groups.ts';
import { AccessLevel } from '../../core/access-levels.ts';
import { today } from '../../core/clock.ts';
import type { Deps } from '../../deps.ts';

export interface SnippetFilters {
  created_after?: string;
  created_before?: string;
}

/** Snippets within the dates, the newest first. */
function snippets({ db }: Deps, { created_after, created_before }: SnippetFilters) {
  return db
    .selectFrom('snippets')
    .selectAll('snippets')
    .$if(created_after !== undefined, (query) => query.where('snippets.created_at', '>=', created_after!))
    .$if(created_before !== undefined, (query) => query.where('snippets.created_at', '<=', created_before!))
    .orderBy('snippets.created_at', 'desc')
    .orderBy('snippets.id', 'desc');
}

/** What the user has written, as far as he may still read it. */
export const ownSnippets = (deps: Deps, caller: Caller, filters: SnippetFilters) =>
  snippets(deps, filters)
    .where('snippets.author_id', '=', caller.user!.id)
    .where(readableSnippets(caller, today(deps.clock)));

/** Everybody's personal snippets that are public. */
export const publicSnippets = (deps: Deps, filters: SnippetFilters) =>
  snippets(deps, filters).where('snippets.visibility', '=', 'public').where('snippets.project_id', 'is', null);

/** All that the caller may read. @param filters `repository_storage` is for administrators */
export function allSnippets(deps: Deps, caller: Caller, filters: SnippetFilters & { repository_storage?: string }) {
  const query = snippets(deps, filters).where(readableSnippets(caller, today(deps.clock)));
  const { repository_storage } = filters;
  if (!caller.admin || repository_storage === undefined) return query;
  return query.where('snippets.repository_storage', '=', repository_storage);
}

/** Snippets of a project, as far as the caller may read them. */
export function projectSnippets(
  deps: Deps,
  caller: Caller,
  { project, permissions }: { project: { id: number }; permissions: ProjectPermissions },
  filters: SnippetFilters,
) {
  const query = snippets(deps, filters).where('snippets.project_id', '=', project.id);
  if (permissions.level >= AccessLevel.guest) return query;
  return query.where((eb) =>
    eb.or([
      eb('snippets.visibility', 'in', openVisibilities(caller)),
      eb('snippets.author_id', '=', caller.user?.id ?? 0),
    ]),
  );
}
