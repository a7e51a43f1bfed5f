import type { Db } from '../../../src/db/db.schema.ts';
import { at, insert, rowsOf, word } from './rows.ts';

/** A wiki for each project, and so many pages in them. */
export async function wikis(
  db: Db,
  amount: number,
  projectOf: (n: number) => number,
  place: (n: number) => { repository_storage: string; disk_path: string },
): Promise<void> {
  const projects = [...new Set(Array.from({ length: amount }, (_, n) => projectOf(n)))];
  const ids = new Map(projects.map((id, n) => [id, n + 1]));
  await insert(
    db,
    'wikis',
    rowsOf(projects.length, (n) => ({
      id: n + 1,
      project_id: projects[n]!,
      ...place(n),
      created_at: at(n),
      updated_at: at(n),
    })),
  );
  await insert(
    db,
    'wiki_pages',
    rowsOf(amount, (n) => ({
      wiki_id: ids.get(projectOf(n))!,
      slug: `${word(n)}-${n}`,
      title: `${word(n)} ${n}`,
      format: 'markdown',
      created_at: at(n),
      updated_at: at(n),
    })),
  );
}
