import { fewProjectsOf } from '../../../access/access.membership.ts';
import { readableSnippets } from '../../../access/access.snippets.ts';
import type { Caller, UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { openVisibilities } from '../../../access/visible-groups.ts';
import { AccessLevel, VISIBILITIES } from '../../../core/access-levels.ts';
import { today } from '../../../core/clock.ts';
import type { Deps } from '../../../deps.ts';

export interface SnippetFilters {
  created_after?: string;
  created_before?: string;
}

/** Query for snippets within the dates. */
const within = ({ db }: Deps, { created_after, created_before }: SnippetFilters) =>
  db
    .selectFrom('snippets')
    .selectAll('snippets')
    .$if(created_after !== undefined, (query) => query.where('snippets.created_at', '>=', created_after!))
    .$if(created_before !== undefined, (query) => query.where('snippets.created_at', '<=', created_before!));

type SnippetQuery = ReturnType<typeof within>;

const newestFirst = (query: SnippetQuery): SnippetQuery => query.orderBy('created_at', 'desc').orderBy('id', 'desc');

/** Query for the snippets of a user, as far as they may still read them. */
export const ownSnippets = (deps: Deps, caller: Caller, filters: SnippetFilters): SnippetQuery =>
  newestFirst(
    within(deps, filters)
      .where('snippets.author_id', '=', caller.user!.id)
      .where(readableSnippets(caller, today(deps.clock))),
  );

/** Query for all public personal snippets. */
export const publicSnippets = (deps: Deps, filters: SnippetFilters): SnippetQuery =>
  newestFirst(
    within(deps, filters).where('snippets.visibility', '=', 'public').where('snippets.project_id', 'is', null),
  );

/** Maximum number of projects listed by id in a query. */
const FEW_PROJECTS = 100;

/** Query for all snippets that a user may read. @param filters `repository_storage` is for administrators */
export async function allSnippets(
  deps: Deps,
  caller: UserCaller,
  filters: SnippetFilters & { repository_storage?: string },
): Promise<SnippetQuery> {
  const { repository_storage } = filters;
  if (caller.admin) {
    const query = within(deps, filters);
    return newestFirst(
      repository_storage ? query.where('snippets.repository_storage', '=', repository_storage) : query,
    );
  }
  const day = today(deps.clock);
  const userId = caller.user.id;
  const open = openVisibilities(caller);
  const readable = within(deps, filters).where(readableSnippets(caller, day));
  const closed = VISIBILITIES.filter((visibility) => !open.includes(visibility));
  const others = readable.where('snippets.author_id', '<>', userId);
  const few = await deps.snapshot.get(`few:${userId}:${AccessLevel.guest}:${day}`, () =>
    fewProjectsOf(deps.db, userId, AccessLevel.guest, day, FEW_PROJECTS),
  );
  // Each part follows an index in this order. For members of many projects, scanning all non-public snippets soon finds
  // readable ones; for members of few, these projects are searched.
  const ofMembers =
    few === null
      ? closed.map((visibility) => others.where('snippets.visibility', '=', visibility))
      : [
          others
            .where('snippets.visibility', 'in', closed)
            .where('snippets.project_id', 'in', few.length > 0 ? few : [0]),
        ];
  const parts = [
    ...open.map((visibility) => readable.where('snippets.visibility', '=', visibility)),
    readable.where('snippets.author_id', '=', userId).where('snippets.visibility', 'in', closed),
    ...ofMembers,
  ];
  return newestFirst(parts.reduce((all, part) => all.unionAll(part)));
}

/** Query for the snippets of a project that the caller may read. */
export function projectSnippets(
  deps: Deps,
  caller: Caller,
  { project, permissions }: { project: { id: number }; permissions: ProjectPermissions },
  filters: SnippetFilters,
): SnippetQuery {
  const query = newestFirst(within(deps, filters).where('snippets.project_id', '=', project.id));
  if (permissions.level >= AccessLevel.guest) return query;
  return query.where((eb) =>
    eb.or([
      eb('snippets.visibility', 'in', openVisibilities(caller)),
      eb('snippets.author_id', '=', caller.user?.id ?? 0),
    ]),
  );
}
