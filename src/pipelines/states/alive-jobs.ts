import { type SqlBool, sql } from 'kysely';

/**
 * Unfinished jobs, in the wording of the partial index that contains them, since the database would not use it
 * otherwise.
 */
export const ALIVE = sql<SqlBool>`ci_jobs.status in ('pending', 'running', 'canceling', 'scheduled', 'preparing', 'waiting_for_resource')`;
