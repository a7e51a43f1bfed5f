import { sql } from 'kysely';

/** Jobs that have begun and are not over, in the very words of their index: without them no query uses it. */
export const ALIVE = sql<boolean>`status in ('pending', 'running', 'canceling', 'scheduled', 'preparing', 'waiting_for_resource')`;
