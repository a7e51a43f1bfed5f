import type { Engine } from '../migration-history.ts';
import { quoted, sequencesQuery, type TableShape } from './catalog.ts';
import type { Snapshot } from './dump.snapshot.ts';

/** One line of a dump: a table or section header, a row, or a sequence. */
export type DumpLine =
  | { migrations: string[] }
  | TableShape
  | (string | number | null)[]
  | { sequences: Record<string, number> };

export interface DumpCounts {
  tables: number;
  rows: number;
}

const order = (columns: readonly string[]): string => (columns.includes('id') ? ' order by id' : '');

/**
 * Writes the whole database in a form that either engine can load: names of migrations, then shape and rows of each
 * table, then the last generated ids.
 * @param tables result of `tablesOf`
 * @param write receives one line at a time
 */
export async function writeDump(
  snapshot: Snapshot,
  engine: Engine,
  tables: readonly TableShape[],
  migrations: readonly string[],
  write: (line: DumpLine) => Promise<void>,
): Promise<DumpCounts> {
  let rows = 0;
  await write({ migrations: [...migrations] });
  for (const table of tables) {
    await write(table);
    const columns = table.columns.map(quoted).join(', ');
    for await (const batch of snapshot.rows(`select ${columns} from ${quoted(table.name)}${order(table.columns)}`)) {
      for (const row of batch) await write(row);
      rows += batch.length;
    }
  }
  const sequences: Record<string, number> = {};
  for await (const batch of snapshot.rows(sequencesQuery(engine))) {
    for (const [table, value] of batch) sequences[String(table)] = Number(value);
  }
  await write({ sequences });
  return { tables: tables.length, rows };
}
