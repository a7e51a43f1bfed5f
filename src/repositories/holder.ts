import { projectOfId } from '../access/find-by-id.ts';
import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Location } from '../git/repository/index.ts';

/**
 * Types of repository holders: table, column in `ref_intents` and payloads, event for ref changes, name in refusals,
 * and SQL for the display name.
 */
export const HOLDER_TYPES = {
  project: {
    table: 'projects',
    column: 'project_id',
    pushed: 'push',
    called: 'Project',
    nameSql: 'full_path',
  },
  snippet: {
    table: 'snippets',
    column: 'snippet_id',
    pushed: 'snippet.pushed',
    called: 'Snippet',
    nameSql: `'snippet ' || id`,
  },
  wiki: {
    table: 'wikis',
    column: 'wiki_id',
    pushed: 'wiki.pushed',
    called: 'Wiki',
    nameSql: `coalesce((select full_path from projects where projects.id = project_id),
      (select full_path from namespaces where namespaces.id = namespace_id)) || '.wiki'`,
  },
} as const;

export type HolderType = keyof typeof HOLDER_TYPES;
/** Column that names a holder in `ref_intents` and in payloads of events. */
export type HolderColumn = (typeof HOLDER_TYPES)[HolderType]['column'];
/** Columns of which the one of the holder's type is set. */
export type HolderColumns = Record<HolderColumn, number | null>;

export const holderTypes = Object.keys(HOLDER_TYPES) as HolderType[];

/** Holder of a repository, with its location. */
export interface Holder {
  type: HolderType;
  id: number;
  repository_storage: string;
  disk_path: string;
}

/** Common columns of all holders. */
export const LOCATION_COLUMNS = ['id', 'repository_storage', 'disk_path'] as const;
type Located = Pick<Holder, (typeof LOCATION_COLUMNS)[number]>;

const holderFrom =
  (type: HolderType) =>
  ({ id, repository_storage, disk_path }: Located): Holder => ({ type, id, repository_storage, disk_path });

export const ofProject = holderFrom('project');
export const ofSnippet = holderFrom('snippet');
export const ofWiki = holderFrom('wiki');

/** Table of a type of holders, for queries on common columns. */
export const tableOf = (type: HolderType) => HOLDER_TYPES[type].table as 'projects' | 'snippets' | 'wikis';

/** Columns of `ref_intents` that name the holder. */
export const holderColumns = ({ type, id }: Pick<Holder, 'type' | 'id'>): HolderColumns => ({
  project_id: null,
  snippet_id: null,
  wiki_id: null,
  [HOLDER_TYPES[type].column]: id,
});

/** The holder named by the columns. @throws Error if none is set */
export function namedHolder(columns: HolderColumns): Pick<Holder, 'type' | 'id'> {
  for (const type of holderTypes) {
    const id = columns[HOLDER_TYPES[type].column];
    if (id !== null) return { type, id };
  }
  throw new Error('no repository holder given');
}

/** Current state of a holder. */
export interface CurrentHolder {
  /** Whether its repository is writable. */
  writable: boolean;
  /** Whether its repository is being imported or moved, which is temporary. */
  busy: boolean;
  /** Location of its repository. */
  location: Location;
  /** Its row if it is a project. */
  project: Project | null;
}

/** Location of the repository of a row. */
export const locationOf = (row: Pick<Holder, 'repository_storage' | 'disk_path'>): Location => ({
  storage: row.repository_storage,
  diskPath: row.disk_path,
});

/** Like `projectOfId`, but locks the row until the transaction ends. */
const heldProject = prepared((db, { id }: { id: number }) =>
  db.selectFrom('projects').selectAll().where('pending_delete', '=', 0).where('id', '=', id).forKeyShare(),
);

type PlaceNow = Pick<Project, 'repository_read_only' | 'repository_storage' | 'disk_path'>;

function stateOf(row: PlaceNow, awaitsDeletion: boolean, project: Project | null = null): CurrentHolder {
  const busy = row.repository_read_only === 1;
  return { writable: !busy && !awaitsDeletion, busy, location: locationOf(row), project };
}

/**
 * Reads the current state of a holder; undefined if it is deleted or awaits deletion.
 * @param options `hold`: in a transaction on PostgreSQL, prevents others from making the repository read-only or
 *   moving it until the end
 */
export const currentHolder = (
  db: Db,
  { type, id }: Pick<Holder, 'type' | 'id'>,
  { hold = false } = {},
): Promise<CurrentHolder | undefined> => CURRENT[type](db, id, hold);

async function projectNow(db: Db, id: number, hold: boolean): Promise<CurrentHolder | undefined> {
  const [project] = await (hold ? heldProject : projectOfId)(db, { id });
  return project && stateOf(project, project.in_deletion !== 0, project);
}

async function snippetNow(db: Db, id: number, hold: boolean): Promise<CurrentHolder | undefined> {
  const snippet = await db
    .selectFrom('snippets')
    .select(['repository_read_only', 'repository_storage', 'disk_path'])
    .where('id', '=', id)
    .$if(hold, (query) => query.forKeyShare())
    .executeTakeFirst();
  return snippet && stateOf(snippet, false);
}

async function wikiNow(db: Db, id: number, hold: boolean): Promise<CurrentHolder | undefined> {
  const wiki = await db
    .selectFrom('wikis')
    .leftJoin('projects', 'projects.id', 'wikis.project_id')
    .leftJoin('namespaces', 'namespaces.id', 'wikis.namespace_id')
    .select(['wikis.repository_read_only', 'wikis.repository_storage', 'wikis.disk_path', 'projects.pending_delete'])
    .select(({ fn }) => fn.coalesce('projects.in_deletion', 'namespaces.in_deletion').as('in_deletion'))
    .where('wikis.id', '=', id)
    .$if(hold, (query) => query.forKeyShare('wikis'))
    .executeTakeFirst();
  return wiki === undefined || wiki.pending_delete === 1 ? undefined : stateOf(wiki, wiki.in_deletion !== 0);
}

const CURRENT = { project: projectNow, snippet: snippetNow, wiki: wikiNow };

/** The holder with a type and id, with the location of its repository; undefined if it no longer exists. */
export async function findHolder(db: Db, { type, id }: Pick<Holder, 'type' | 'id'>): Promise<Holder | undefined> {
  const row = await db.selectFrom(tableOf(type)).select(LOCATION_COLUMNS).where('id', '=', id).executeTakeFirst();
  return row && holderFrom(type)(row);
}
