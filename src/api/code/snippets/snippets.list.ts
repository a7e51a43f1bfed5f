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

/** Snippets within the dates. */
const within = ({ db }: Deps, { created_after, created_before }: SnippetFilters) =>
  db
    .selectFrom('snippets')
    .selectAll('snippets')
    .$if(created_after !== undefined, (query) => query.where('snippets.created_at', '>=', created_after!))
    .$if(created_before !== undefined, (query) => query.where('snippets.created_at', '<=', created_before!));

type SnippetQuery = ReturnType<typeof within>;

const newestFirst = (query: SnippetQuery): SnippetQuery => query.orderBy('created_at', 'desc').orderBy('id', 'desc');

/** What the user has written, as far as they may still read it. */
export const ownSnippets = (deps: Deps, caller: Caller, filters: SnippetFilters): SnippetQuery =>
  newestFirst(
    within(deps, filters)
      .where('snippets.author_id', '=', caller.user!.id)
      .where(readableSnippets(caller, today(deps.clock))),
  );

/** Everybody's personal snippets that are public. */
export const publicSnippets = (deps: Deps, filters: SnippetFilters): SnippetQuery =>
  newestFirst(
    within(deps, filters).where('snippets.visibility', '=', 'public').where('snippets.project_id', 'is', null),
  );

/** Projects that are named one by one at most. */
const FEW_PROJECTS = 100;

/** All that the user may read. @param filters `repository_storage` is for administrators */
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
  // Each part follows an index of its own in this order. Where the user is a member of many projects, they soon come upon
  // what they may read of all that is not open; where of few, it is looked for in these.
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

/** Snippets of a project, as far as the caller may read them. */
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
