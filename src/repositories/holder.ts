import type { Db } from '../db/schema.ts';
import type { Project } from '../db/tables/projects.ts';
import type { Snippet } from '../db/tables/snippets.ts';

/** Whose repository it is, and where it lies. */
export interface Holder {
  type: 'project' | 'snippet';
  id: number;
  repository_storage: string;
  disk_path: string;
}

type Located = 'id' | 'repository_storage' | 'disk_path';

export const ofProject = ({ id, repository_storage, disk_path }: Pick<Project, Located>): Holder => ({
  type: 'project',
  id,
  repository_storage,
  disk_path,
});

export const ofSnippet = ({ id, repository_storage, disk_path }: Pick<Snippet, Located>): Holder => ({
  type: 'snippet',
  id,
  repository_storage,
  disk_path,
});

/** Columns of `ref_intents` that name the holder. */
export const holderColumns = ({ type, id }: Pick<Holder, 'type' | 'id'>) =>
  type === 'project' ? { project_id: id, snippet_id: null } : { project_id: null, snippet_id: id };

/** A holder as it is now. */
export interface HolderNow {
  /** Whether its repository may be written. */
  writable: boolean;
  /** Its row where it is a project. */
  project: Project | null;
}

/** Reads a holder anew; undefined when it is gone or going. */
export async function holderNow(db: Db, { type, id }: Pick<Holder, 'type' | 'id'>): Promise<HolderNow | undefined> {
  if (type === 'snippet') {
    const snippet = await db
      .selectFrom('snippets')
      .select('repository_read_only')
      .where('id', '=', id)
      .executeTakeFirst();
    return snippet === undefined ? undefined : { writable: snippet.repository_read_only === 0, project: null };
  }
  const project = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
  if (project === undefined || project.pending_delete === 1) return undefined;
  return { writable: project.repository_read_only === 0 && project.in_deletion === 0, project };
}

/** Whether the holder's repository may be written; undefined when it is gone or going. */
export const writable = async (db: Db, holder: Pick<Holder, 'type' | 'id'>): Promise<boolean | undefined> =>
  (await holderNow(db, holder))?.writable;

/** The holder that an intent names, where it still exists. */
export async function holderOf(
  db: Db,
  { project_id, snippet_id }: { project_id: number | null; snippet_id: number | null },
): Promise<Holder | undefined> {
  const columns = ['id', 'repository_storage', 'disk_path'] as const;
  if (snippet_id !== null) {
    const row = await db.selectFrom('snippets').select(columns).where('id', '=', snippet_id).executeTakeFirst();
    return row && ofSnippet(row);
  }
  const row = await db.selectFrom('projects').select(columns).where('id', '=', project_id).executeTakeFirst();
  return row && ofProject(row);
}
