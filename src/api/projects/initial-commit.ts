import type { User } from '../../db/tables/users.ts';
import type { Deps } from '../../deps.ts';
import { writeActions } from '../../git/commit-writer.ts';

export interface InitialCommit {
  branch: string;
  files: Readonly<Record<string, string>>;
  author: User;
}

/**
 * Writes the first commit of a repository that nobody can see yet.
 * @returns the id of the commit
 */
export async function writeInitialCommit(deps: Deps, dir: string, commit: InitialCommit): Promise<string> {
  const { pool } = deps.storages;
  const id = `new:${dir}`;
  const repo = pool.get(id, dir);
  try {
    const { author } = commit;
    const identity = { name: author.name, email: author.commit_email ?? author.email, date: deps.clock.now() };
    const { oid } = await writeActions(repo, {
      base: null,
      actions: Object.entries(commit.files).map(([path, text]) => ({
        action: 'create',
        path,
        content: Buffer.from(text),
      })),
      author: identity,
      committer: identity,
      message: 'Initial commit',
    });
    await repo.refs.transaction([{ ref: `refs/heads/${commit.branch}`, old: null, new: oid }]);
    return oid;
  } finally {
    pool.forget(id);
  }
}

/** What a new project's README says. */
export const readmeText = (name: string, description: string | null): string =>
  description === null || description.trim() === '' ? `# ${name}\n` : `# ${name}\n\n${description.trim()}\n`;
