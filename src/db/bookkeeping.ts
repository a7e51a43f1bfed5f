import type { CompiledQuery, OperationNode, RootOperationNode } from 'kysely';

/** Tables that writes note in what they did and what follows from it: nothing refers to their rows, and nobody decides by them. */
const TABLES: ReadonlySet<string> = new Set(['jobs', 'ref_intents', 'domain_events', 'events']);
/** What each write to a repository changes of its project. */
const NOTED = { table: 'projects', column: 'last_activity_at' };

const nameOf = (node: OperationNode | undefined): string | null =>
  node?.kind === 'TableNode'
    ? ((node as { table?: { identifier?: { name?: string } } }).table?.identifier?.name ?? null)
    : null;

/**
 * Whether a query that writes changes nothing but bookkeeping: what `steady` queries give stays the same. Of a query that was not built
 * nobody knows.
 */
export function isBookkeeping({ query }: Pick<CompiledQuery, 'query'>): boolean {
  const table = tableOf(query);
  if (table === null) return false;
  if (TABLES.has(table)) return true;
  if (query.kind !== 'UpdateQueryNode' || table !== NOTED.table) return false;
  const columns = (query.updates ?? []).map(({ column }) => (column.kind === 'ColumnNode' ? columnOf(column) : null));
  return columns.length > 0 && columns.every((column) => column === NOTED.column);
}

function tableOf(query: RootOperationNode): string | null {
  if (query.kind === 'InsertQueryNode') return nameOf(query.into);
  if (query.kind === 'UpdateQueryNode') return nameOf(query.table);
  if (query.kind !== 'DeleteQueryNode' || query.using !== undefined) return null;
  return query.from.froms.length === 1 ? nameOf(query.from.froms[0]) : null;
}

const columnOf = (node: OperationNode): string | null => (node as { column?: { name?: string } }).column?.name ?? null;

/** Whether what a query gives may be changed by bookkeeping: it names one of these tables, or asks for all of a project or the noted column. */
export function readsBookkeeping({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  if (query.kind !== 'SelectQueryNode') return true;
  const words = new Set(sql.match(/\w+/g));
  if ([...TABLES].some((table) => words.has(table)) || words.has(NOTED.column)) return true;
  return words.has(NOTED.table) && sql.includes('*');
}
