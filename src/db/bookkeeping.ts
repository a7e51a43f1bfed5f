import type { CompiledQuery, OperationNode, RootOperationNode } from 'kysely';

/**
 * Tables in which writes record events and follow-up work: no foreign keys refer to their rows, and no decisions depend
 * on them.
 */
const TABLES: ReadonlySet<string> = new Set(['jobs', 'ref_intents', 'domain_events', 'events']);
/** The column of a project that each write to its repository changes. */
const NOTED = { table: 'projects', column: 'last_activity_at' };

const nameOf = (node: OperationNode | undefined): string | null =>
  node?.kind === 'TableNode'
    ? ((node as { table?: { identifier?: { name?: string } } }).table?.identifier?.name ?? null)
    : null;

/** Whether a writing query only changes bookkeeping, so that cached reads stay valid. False for raw queries. */
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

/** Whether a query reads bookkeeping: it names one of these tables, all columns of projects, or the activity column. */
export function readsBookkeeping({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  if (query.kind !== 'SelectQueryNode') return true;
  const words = new Set(sql.match(/\w+/g));
  if ([...TABLES].some((table) => words.has(table)) || words.has(NOTED.column)) return true;
  return words.has(NOTED.table) && sql.includes('*');
}
