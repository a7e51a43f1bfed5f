import type { TreeEntry } from '../../../git/git.objects.ts';
import type { Repository } from '../../../git/git.repository.ts';
import { treeOf } from '../../../git/git.tree.ts';

/** Endings by how well the platform shows them. */
const MARKUP = ['md', 'markdown', 'mdown', 'mkd', 'mkdn', 'adoc', 'ad', 'asciidoc', 'rst', 'org', 'textile', 'rdoc'];

const isFile = (entry: TreeEntry): boolean => entry.mode.startsWith('100');

/** The files in the top folder of a commit. */
export async function topFiles(repo: Repository, commit: string): Promise<readonly TreeEntry[]> {
  const tree = await treeOf(repo, commit);
  const entries = tree === null ? null : await repo.objects.tree(tree);
  return (entries ?? []).filter(isFile);
}

/** The README among the files of a folder: one in a markup language before a plain one; null where there is none. */
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

/** What a new project's README says. */
export const readmeText = (name: string, description: string | null): string =>
  description === null || description.trim() === '' ? `# ${name}\n` : `# ${name}\n\n${description.trim()}\n`;
