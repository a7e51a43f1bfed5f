import type { World } from '../world.ts';
import { fileOf, type SnippetWriter } from '../writers/snippet-writer.ts';

interface SnippetRow {
  id: number;
  title: string;
  file_names: string;
}

/** Snippets are there as was acknowledged, title, file names and content of one state; the one in doubt is of either. */
export async function compareSnippets(world: World, writer: SnippetWriter): Promise<string[]> {
  const rows = await world.records.query<SnippetRow>('select id, title, file_names from snippets');
  const titles = new Map(rows.map(({ id, title }) => [Number(id), title]));
  const problems: string[] = [];
  if (writer.open !== null) {
    const { before, after } = writer.open;
    const made = rows.find(({ title }) => title === after);
    const id = writer.open.id ?? (made === undefined ? null : Number(made.id));
    const now = id === null ? null : (titles.get(id) ?? null);
    if (now !== before && now !== after) problems.push(`snippet ${id} should be ${before} or ${after} and is ${now}`);
    if (id !== null) writer.settle(id, now);
    writer.open = null;
  }
  for (const [id, title] of writer.present) {
    if (titles.get(id) !== title) problems.push(`lost: snippet ${id} should be ${title} and is ${titles.get(id)}`);
  }
  for (const { id, title, file_names } of rows) {
    if (!writer.present.has(Number(id))) problems.push(`snippet ${id} should not be there`);
    const names = JSON.stringify([fileOf(title)]);
    if (file_names !== names) problems.push(`file names of snippet ${id} are ${file_names} and should be ${names}`);
    const raw = await world.send('GET', `/snippets/${id}/files/main/${fileOf(title)}/raw`);
    if (raw?.text !== title) problems.push(`snippet ${id} has ${raw?.text} and should have ${title}`);
  }
  return problems;
}
