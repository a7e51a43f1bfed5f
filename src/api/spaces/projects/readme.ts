import type { TreeEntry } from '../../../git/objects/index.ts';
import type { Repository } from '../../../git/repository/index.ts';
import { treeOf } from '../../../git/trees/index.ts';

/** File extensions in order of preference. */
const MARKUP = ['md', 'markdown', 'mdown', 'mkd', 'mkdn', 'adoc', 'ad', 'asciidoc', 'rst', 'org', 'textile', 'rdoc'];

const isFile = (entry: TreeEntry): boolean => entry.mode.startsWith('100');

/** Returns the files in the root folder of a commit. */
export async function topFiles(repo: Repository, commit: string): Promise<readonly TreeEntry[]> {
  const tree = await treeOf(repo, commit);
  const entries = tree === null ? null : await repo.objects.tree(tree);
  return (entries ?? []).filter(isFile);
}

/** Finds the README in a folder, preferring markup to plain text; null if there is none. */
export function findReadme(files: readonly Pick<TreeEntry, 'name'>[]): string | null {
  const readmes = files.map(({ name }) => name).filter((name) => /^(?:readme|index)(?:\.|$)/i.test(name));
  const rank = (name: string): number => {
    const [stem, ending = ''] = name.toLowerCase().split(/\.(?=[^.]*$)/);
    if (stem === 'index') return MARKUP.includes(ending) ? 200 + MARKUP.indexOf(ending) : Number.POSITIVE_INFINITY;
    const index = MARKUP.indexOf(ending);
    return index === -1 ? 100 : index;
  };
  const [best] = readmes.filter((name) => Number.isFinite(rank(name))).sort((a, b) => rank(a) - rank(b));
  return best ?? null;
}

/** Content of a new project's README. */
export const readmeText = (name: string, description: string | null): string =>
  description === null || description.trim() === '' ? `# ${name}\n` : `# ${name}\n\n${description.trim()}\n`;
