import { requireSnippetUpdate } from '../../../access/access.snippets.ts';
import type { UserCaller } from '../../../access/caller.ts';
import { callerInProject } from '../../../access/caller-in-project.ts';
import { revalidateCaller } from '../../../access/revalidate.ts';
import { transactionDeps } from '../../../access/transaction-deps.ts';
import type { Visibility } from '../../../core/access-levels.ts';
import { timestamp } from '../../../core/clock.ts';
import { forbidden, notFound, refused } from '../../../core/core.errors.ts';
import { snippetFacts } from '../../../core/event-facts.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Snippet } from '../../../db/tables/snippets.table.ts';
import type { Deps } from '../../../deps.ts';
import { CommitError, type FileAction, writeActions } from '../../../git/commits/index.ts';
import { GitError } from '../../../git/common/index.ts';
import { createRepository, type Repository } from '../../../git/repository/index.ts';
import { changeRefs, inRepositoryQueue } from '../../../repositories/change-refs.ts';
import { ofSnippet } from '../../../repositories/holder.ts';
import { withNewRepository, writeInitialCommit } from '../../../repositories/new-repository.ts';
import { refuseFileCount, SNIPPET_BRANCH, SNIPPET_REF, snippetFiles } from '../../../repositories/snippet-files.ts';
import type { FileChanges } from './snippets.files.ts';

const MAX_TRIES = 3;

export interface NewSnippet {
  caller: UserCaller;
  project: Project | null;
  title: string;
  description: string | null;
  visibility: Visibility;
  actions: readonly FileAction[];
  userAgent: string | null;
  address: string;
}

/** Attributes that an update can change. */
export type SnippetChanges = Partial<Pick<Snippet, 'title' | 'description' | 'visibility'>>;

/** Converts refusals of the commit to the platform's words. */
function explain(error: unknown, doing: 'creating' | 'updating'): unknown {
  return error instanceof CommitError ? refused(`Repository Error ${doing} the snippet - ${error.message}`) : error;
}

function checkFileCount(count: number, doing: 'creating' | 'updating'): void {
  const reason = refuseFileCount(count);
  if (reason !== null) throw refused(`Repository Error ${doing} the snippet - ${reason}`);
}

/**
 * Creates a snippet with its files in a repository of its own (part 2, section 4.13).
 * @throws ApiError 400 for invalid files
 */
export async function createSnippet(deps: Deps, input: NewSnippet): Promise<Snippet> {
  const { caller, project, title, description, visibility, actions } = input;
  checkFileCount(actions.length, 'creating');
  const { user } = caller;
  const project_id = project?.id ?? null;
  let files: string[] = [];
  const make = async (dir: string) => {
    await createRepository(dir, { defaultBranch: SNIPPET_BRANCH });
    files = await writeInitialCommit(deps, dir, { branch: SNIPPET_BRANCH, actions, author: user }, snippetFiles);
  };
  try {
    return await withNewRepository(deps, make, async (db, place) => {
      await requireMaker(transactionDeps(deps, db), caller, project_id);
      const now = timestamp(deps.clock);
      const snippet = await db
        .insertInto('snippets')
        .values({
          project_id,
          author_id: user.id,
          title,
          description,
          visibility,
          file_names: JSON.stringify(files),
          ...place,
          user_agent: input.userAgent,
          ip_address: input.address,
          created_at: now,
          updated_at: now,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      const about = { projectId: project_id, actorId: user.id };
      await deps.events.record(
        db,
        'snippet.created',
        { snippet_id: snippet.id, project_id, snippet: snippetFacts(snippet) },
        about,
      );
      return snippet;
    });
  } catch (error) {
    throw explain(error, 'creating');
  }
}

/** Checks again whether the caller may create snippets there. @throws ApiError 401, 403, 404 */
async function requireMaker(deps: Deps, caller: UserCaller, projectId: number | null): Promise<void> {
  const now = await revalidateCaller(deps, caller);
  if (projectId === null) {
    if (now.user.external === 1 && !now.admin) throw forbidden();
    return;
  }
  const scope = await callerInProject(deps, now, projectId);
  if (scope === undefined) throw notFound('Project');
  if (!scope.permissions.can('create_snippet')) throw forbidden();
}

/**
 * Updates a snippet; attributes and files change together or not at all.
 * @param files null leaves them unchanged
 * @throws ApiError 400 for invalid files, 404 if it was deleted meanwhile
 */
export async function updateSnippet(
  deps: Deps,
  caller: UserCaller,
  snippet: Snippet,
  changes: SnippetChanges,
  files: FileChanges | null,
): Promise<Snippet> {
  const moved =
    files !== null &&
    (await inRepositoryQueue(deps, snippet, async (repo) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await commitFiles(deps, caller, repo, { snippet, changes, files });
        } catch (error) {
          // Another process moved the branch meanwhile: the actions are applied to its new state.
          const again = error instanceof GitError && error.code === 'conflict' && attempt < MAX_TRIES;
          if (!again) throw explain(error, 'updating');
        }
      }
    }));
  if (!moved) return changeAttributes(deps, caller, snippet, changes);
  const now = await deps.db.selectFrom('snippets').selectAll().where('id', '=', snippet.id).executeTakeFirst();
  if (now === undefined) throw notFound('Snippet');
  return now;
}

/** @returns whether there was anything to commit; the attributes are then updated as well */
async function commitFiles(
  deps: Deps,
  caller: UserCaller,
  repo: Repository,
  { snippet, changes, files }: { snippet: Snippet; changes: SnippetChanges; files: FileChanges },
): Promise<boolean> {
  const head = await repo.refs.resolve(SNIPPET_REF);
  const actions = files(head === null ? [] : await snippetFiles(repo, head));
  if (actions.length === 0) return false;
  const { user } = caller;
  const identity = { name: user.name, email: user.commit_email ?? user.email, date: deps.clock.now() };
  const { oid, tree, baseTree } = await writeActions(repo, {
    base: head,
    actions,
    author: identity,
    committer: identity,
    message: 'Update snippet',
  });
  if (tree === baseTree) return false;
  checkFileCount((await snippetFiles(repo, oid)).length, 'updating');
  await changeRefs(deps, repo, {
    holder: ofSnippet(snippet),
    userId: user.id,
    updates: [{ ref: SNIPPET_REF, old: head, new: oid }],
    cause: { type: 'snippet_update', changes },
    guard: (deps) => requireSnippetUpdate(deps, caller, snippet.id),
  });
  return true;
}

async function changeAttributes(
  deps: Deps,
  caller: UserCaller,
  { id, project_id }: Snippet,
  changes: SnippetChanges,
): Promise<Snippet> {
  return deps.db.transaction().execute(async (db) => {
    await requireSnippetUpdate(transactionDeps(deps, db), caller, id);
    const row = await db
      .updateTable('snippets')
      .set({ ...changes, updated_at: timestamp(deps.clock) })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(() => notFound('Snippet'));
    const about = { projectId: project_id, actorId: caller.user.id };
    await deps.events.record(db, 'snippet.updated', { snippet_id: id, project_id, snippet: snippetFacts(row) }, about);
    return row;
  });
}
