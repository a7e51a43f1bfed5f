import { gitText, randomNumbers } from '../git.ts';
import { BRANCHES } from './repository.ts';

export type Kind = 'file' | 'raw' | 'tree' | 'commit' | 'diff' | 'log' | 'branches' | 'path-log' | 'blame';
export const KINDS: readonly Kind[] = ['file', 'raw', 'tree', 'commit', 'diff', 'log', 'branches', 'path-log', 'blame'];

/** Search terms that match all branches of the benchmark. */
const SEARCHES = ['t', 'to', 'top', 'topi', 'topic', 'topic-', 'opic', 'opic-', 'pic', 'pic-', 'ic', 'ic-'];

/** Paths below `/projects/:id/repository/`, each requested once. */
export interface Questions {
  /** The next unused address of a kind. */
  next(kind: Kind): string;
  /** The next commit and path for blame by git itself. */
  nextBlame(): { commit: string; path: string };
  /** The next non-merge commit, for git itself. */
  nextChange(): string;
}

const COMMITS = 2_500;
const PATHS_EACH = 60;
/** Of these, whose folders are asked for: with more, what is left of all are ever smaller ones. */
const FOLDERS_EACH = 24;
const AT_ONCE = 6;

interface Place {
  commit: string;
  path: string;
}

/** Draws commits from the whole history, with files and folders as of those commits. */
export async function draw(dir: string, seed: number): Promise<Questions> {
  const random = randomNumbers(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const shuffled = <T>(from: readonly T[]) =>
    from
      .map((value) => ({ value, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  const all = (await gitText(dir, ['rev-list', 'HEAD'])).trim().split('\n');
  const ordinary = (await gitText(dir, ['rev-list', '--no-merges', 'HEAD'])).trim().split('\n');
  const files: Place[] = [];
  const folders: Place[] = [];
  const chosen = shuffled(all).slice(0, COMMITS);
  for (let at = 0; at < chosen.length; at += AT_ONCE) {
    await Promise.all(
      chosen.slice(at, at + AT_ONCE).map(async (commit) => {
        const entries = (await gitText(dir, ['ls-tree', '-r', '-z', commit])).split('\0');
        // Without submodules, which are not files.
        const paths = entries.filter((entry) => entry.includes(' blob ')).map((entry) => entry.split('\t', 2)[1]!);
        for (let n = 0; n < PATHS_EACH; n += 1) {
          const path = pick(paths);
          files.push({ commit, path });
          const folder = path.split('/').slice(0, -1).join('/');
          if (n < FOLDERS_EACH) folders.push({ commit, path: folder });
        }
      }),
    );
  }
  const unique = (places: readonly Place[]) =>
    shuffled([...new Map(places.map((place) => [`${place.commit} ${place.path}`, place])).values()]);
  const text = encodeURIComponent;
  const distinct = unique(files);
  const commits = shuffled(all);
  const changes = shuffled(ordinary);
  const logs = shuffled(all);
  const trees = unique(folders);
  const branches = shuffled(
    Array.from({ length: 81 }, (_, n) => 20 + n).flatMap((size) =>
      Array.from({ length: Math.floor(BRANCHES / size) }, (_, page) =>
        SEARCHES.map((search) => ({ page: page + 1, size, search })),
      ).flat(),
    ),
  );
  const take = <T>(from: T[], what: string): T => {
    const one = from.pop();
    if (one === undefined) throw new Error(`there is no ${what} left that was not asked for`);
    return one;
  };
  const next: Record<Kind, () => string> = {
    file: () => {
      const { commit, path } = take(distinct, 'file');
      return `files/${text(path)}?ref=${commit}`;
    },
    raw: () => {
      const { commit, path } = take(distinct, 'file');
      return `files/${text(path)}/raw?ref=${commit}`;
    },
    tree: () => {
      const { commit, path } = take(trees, 'folder');
      return `tree?per_page=100&path=${text(path)}&ref=${commit}`;
    },
    commit: () => `commits/${take(commits, 'commit')}`,
    diff: () => `commits/${take(changes, 'commit')}/diff`,
    log: () => `commits?per_page=20&ref_name=${take(logs, 'commit')}`,
    branches: () => {
      const { page, size, search } = take(branches, 'page of branches');
      return `branches?per_page=${size}&page=${page}&search=${search}`;
    },
    'path-log': () => {
      const { commit, path } = take(distinct, 'file');
      return `commits?per_page=20&path=${text(path)}&ref_name=${commit}`;
    },
    blame: () => {
      const { commit, path } = take(distinct, 'file');
      return `files/${text(path)}/blame?ref=${commit}`;
    },
  };
  return {
    next: (kind) => next[kind](),
    nextBlame: () => take(distinct, 'file'),
    nextChange: () => take(changes, 'commit'),
  };
}
