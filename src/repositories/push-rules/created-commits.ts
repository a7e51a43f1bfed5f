import type { Commit } from '../../git/objects/index.ts';
import type { Repository } from '../../git/repository/index.ts';
import type { NewCommitOrFile, NewFile } from '../../git/transport/index.ts';
import { changesBetween } from '../../git/trees/index.ts';

const MAX_COMMITS = 3;
const SUBMODULE = '160000';

/**
 * Reads the commits that the server has just created, if nothing else is new, with their files. Uses no process, since
 * an API caller waits.
 * @param heads complete ids
 * @param made the commits
 * @returns as `newCommits`; null if there may be more commits, for which git must be asked
 */
export async function readCreatedCommits(
  repo: Repository,
  heads: readonly string[],
  made: readonly string[],
  files: boolean,
): Promise<NewCommitOrFile[] | null> {
  const tips = new Set((await repo.refs.list('refs/heads/')).map(({ oid }) => oid));
  const things: NewCommitOrFile[] = [];
  const waiting = [...heads];
  const seen = new Set<string>();
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    if (tips.has(oid) || seen.has(oid)) continue;
    seen.add(oid);
    if (!made.includes(oid) || seen.size > MAX_COMMITS) return null;
    const commit = await repo.objects.commit(oid);
    if (commit === null) return null;
    waiting.push(...commit.parents);
    const changed = files ? await filesOf(repo, commit) : [];
    if (changed === null) return null;
    things.push(asNew(commit), ...changed);
  }
  return things;
}

const asNew = ({ oid, author, committer, message }: Commit): NewCommitOrFile => ({
  kind: 'commit',
  oid,
  authorName: author.name,
  authorEmail: author.email,
  committerName: committer.name,
  committerEmail: committer.email,
  message,
  messageLength: Buffer.byteLength(message),
});

/** Files that differ from those of every parent. */
async function filesOf(repo: Repository, { oid, parents }: Commit): Promise<NewFile[] | null> {
  const all = await Promise.all(
    (parents.length === 0 ? [null] : parents).map((parent) => changesBetween(repo, parent, oid)),
  );
  const [first, ...others] = all;
  if (first == null || others.includes(null)) return null;
  const byPath = others.map((changes) => new Map(changes!.map((change) => [change.path, change])));
  return first.flatMap(({ path, before, after }) => {
    const elsewhere = byPath.map((changes) => changes.get(path));
    if (after === undefined || after.mode === SUBMODULE || elsewhere.includes(undefined)) return [];
    const added = before === undefined && elsewhere.every((change) => change!.before === undefined);
    return { kind: 'file', commit: oid, path, blob: after.oid, added };
  });
}
