import { type FileAction, writeActions } from '../../src/git/commits/index.ts';
import { changeRefs, inRepositoryQueue } from '../../src/repositories/change-refs.ts';
import { ofWiki } from '../../src/repositories/holder.ts';
import { ensureWiki, type WikiOwner } from '../../src/repositories/repository.wikis.ts';
import type { TestApp } from './app.ts';

/** Commits to the wiki of a project or group, in the way of all changes of refs. @returns the wiki and the commit */
export async function commitToWiki({ deps }: TestApp, owner: WikiOwner, actions: readonly FileAction[]) {
  const wiki = await ensureWiki(deps, owner);
  const oid = await inRepositoryQueue(deps, wiki, async (repo) => {
    const ref = 'refs/heads/main';
    const base = await repo.refs.resolve(ref);
    const who = { name: 'Ada', email: 'ada@example.com', date: deps.clock.now() };
    const { oid } = await writeActions(repo, { base, actions, author: who, committer: who, message: 'Pages' });
    await changeRefs(deps, repo, {
      holder: ofWiki(wiki),
      userId: 1,
      updates: [{ ref, old: base, new: oid }],
      via: 'api',
      pushOptions: [],
      guard: async () => {},
    });
    return oid;
  });
  return { wiki, oid };
}

/** A page to make. */
export const page = (path: string, text = path): FileAction => ({ action: 'create', path, content: Buffer.from(text) });
