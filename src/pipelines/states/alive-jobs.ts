import { type SqlBool, sql } from 'kysely';

/** Jobs that are not over, in the words of the index that holds them alone: without these an engine does not use it. */
export const ALIVE = sql<SqlBool>`ci_jobs.status in ('pending', 'running', 'canceling', 'scheduled', 'preparing', 'waiting_for_resource')`;
