import { sql } from 'kysely';
import type { Db, Schema } from '../../../db/db.schema.ts';

/** Rows moved per transaction. */
const BATCH_SIZE = 1_000;
/** Ids scanned per transaction where no index finds the rows. */
const RANGE = 5_000;

/** Columns that refer to the contributing user, in tables with ids. */
const COLUMNS: Readonly<Partial<Record<keyof Schema, { indexed: readonly string[]; others?: readonly string[] }>>> = {
  issues: { indexed: ['author_id', 'closed_by_id'], others: ['updated_by_id'] },
  merge_requests: { indexed: ['author_id', 'closed_by_id', 'merge_user_id'], others: ['updated_by_id'] },
  notes: { indexed: ['author_id'], others: ['resolved_by_id', 'updated_by_id'] },
  time_logs: { indexed: ['user_id'] },
  resource_events: { indexed: ['user_id'] },
  releases: { indexed: ['author_id'] },
  snippets: { indexed: ['author_id'] },
  ci_jobs: { indexed: ['user_id'] },
  pipelines: { indexed: [], others: ['user_id'] },
};

/** Tables whose rows are identified by the user and further columns. */
const JOINS: Readonly<Partial<Record<keyof Schema, { key: readonly string[]; beside: readonly string[] }>>> = {
  issuable_assignees: { key: ['issuable_type', 'issuable_id'], beside: ['project_id'] },
  merge_request_reviewers: { key: ['merge_request_id'], beside: ['state', 'created_at'] },
  award_emoji: { key: ['awardable_type', 'awardable_id', 'name'], beside: ['project_id', 'created_at', 'updated_at'] },
  approvals: { key: ['merge_request_id'], beside: ['head_sha', 'created_at'] },
  approval_rule_users: { key: ['rule_id'], beside: [] },
};

export interface Move {
  from: number;
  to: number;
}

/** Runs a part in a transaction of its own, if the reassignment is still in progress. */
export type Part = (move: (db: Db) => Promise<number>) => Promise<number>;

async function moveIndexed(part: Part, table: string, column: string, { from, to }: Move): Promise<void> {
  const [rows, named] = [sql.table(table), sql.ref(column)];
  const move = async (db: Db) => {
    const { numAffectedRows } = await sql`update ${rows} set ${named} = ${to} where id in
      (select id from ${rows} where ${named} = ${from} order by id limit ${BATCH_SIZE})`.execute(db);
    return Number(numAffectedRows ?? 0n);
  };
  while ((await part(move)) === BATCH_SIZE);
}

async function moveOther(part: Part, table: string, column: string, { from, to }: Move): Promise<void> {
  const [rows, named] = [sql.table(table), sql.ref(column)];
  let last = 0;
  const move = async (db: Db) => {
    const range = await sql<{ last: number | null }>`select max(id) as last from
      (select id from ${rows} where id > ${last} order by id limit ${RANGE}) part`.execute(db);
    const end = range.rows[0]?.last ?? null;
    if (end === null) return 0;
    await sql`update ${rows} set ${named} = ${to} where id > ${last} and id <= ${end} and ${named} = ${from}`.execute(
      db,
    );
    return Number(end);
  };
  for (let end = await part(move); end > 0; end = await part(move)) last = end;
}

/** Moves rows; of two rows for the same object one is kept. */
async function moveJoins(
  part: Part,
  table: string,
  { key, beside: others }: { key: readonly string[]; beside: readonly string[] },
  { from, to }: Move,
): Promise<void> {
  const rows = sql.table(table);
  const beside = sql.join([...key, ...others].map((column) => sql.ref(column)));
  const picked = sql.join(key.map((column) => sql.ref(column)));
  const move = async (db: Db) => {
    const some = sql`select ${picked} from ${rows} where user_id = ${from} order by ${picked} limit ${BATCH_SIZE}`;
    await sql`insert into ${rows} (${beside}, user_id) select ${beside}, cast(${to} as bigint) from ${rows}
      where user_id = ${from} and (${picked}) in (${some}) on conflict do nothing`.execute(db);
    const { numAffectedRows } =
      await sql`delete from ${rows} where user_id = ${from} and (${picked}) in (${some})`.execute(db);
    return Number(numAffectedRows ?? 0n);
  };
  while ((await part(move)) === BATCH_SIZE);
}

/** Moves all contributions of a user to another, a part of a table per transaction. */
export async function moveContributions(part: Part, move: Move): Promise<void> {
  for (const [table, { indexed, others = [] }] of Object.entries(COLUMNS)) {
    for (const column of indexed) await moveIndexed(part, table, column, move);
    for (const column of others) await moveOther(part, table, column, move);
  }
  for (const [table, columns] of Object.entries(JOINS)) await moveJoins(part, table, columns, move);
}
