import { join } from 'node:path';
import { treeEntry } from '../ledger.ts';
import { wikiEvents } from '../records.ts';
import type { World } from '../world.ts';
import type { Pages, WikiWriter } from '../writers/wiki-writer.ts';
import { brokenChains } from './events.ts';
import { inspect, readRefs } from './git.ts';

interface WikiRow {
  id: number;
  repository_storage: string;
  disk_path: string;
}

const filesOf = (pages: Pages): string =>
  [...pages]
    .map(([slug, content]) => `${slug}.md ${treeEntry(content)}`)
    .sort()
    .join('\n');

async function filesIn(dir: string): Promise<string> {
  const { text } = await inspect(dir, ['ls-tree', '-r', '--format=%(path) %(objectmode) %(objectname)', 'main']);
  return text.trim().split('\n').sort().join('\n');
}

/** Pages are there as was acknowledged, in git, through the API and in the database; what is in doubt is as before or after. */
export async function compareWiki(world: World, writer: WikiWriter): Promise<string[]> {
  const { name, place, path } = writer;
  const column = place.kind === 'project' ? 'project_id' : 'namespace_id';
  const [row] = await world.records.query<WikiRow>(
    `select id, repository_storage, disk_path from wikis where ${column} = ${place.id}`,
  );
  const dir = row === undefined ? null : join(world.dataDir, row.repository_storage, `${row.disk_path}.git`);
  const refs = dir === null ? new Map<string, string>() : await readRefs(dir);
  const files = dir === null || refs.size === 0 ? '' : await filesIn(dir);
  if (writer.open !== null && filesOf(writer.open) === files) writer.pages = writer.open;
  writer.open = null;
  const problems: string[] = [];
  if (filesOf(writer.pages) !== files) {
    problems.push(`lost: ${name} should have\n${filesOf(writer.pages)}\nand has\n${files}`);
  }
  const listed = await world.must<{ slug: string; content: string }[]>('GET', `${path}?with_content=true`);
  if (filesOf(new Map(listed.map(({ slug, content }) => [slug, content]))) !== files) {
    problems.push(`${name} shows other pages than it has: ${listed.map(({ slug }) => slug).join(' ')}`);
  }
  if (row === undefined) return problems;
  const rows = await world.records.query<{ slug: string }>(`select slug from wiki_pages where wiki_id = ${row.id}`);
  const known = new Set(rows.map(({ slug }) => slug));
  for (const slug of writer.pages.keys()) if (!known.has(slug)) problems.push(`${name}: page ${slug} has no number`);
  const events = await wikiEvents(world.records, row.id);
  return [...problems, ...brokenChains(events, refs).map((text) => `${name}: ${text}`)];
}
