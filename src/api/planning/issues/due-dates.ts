import { type Expression, type SqlBool, sql } from 'kysely';
import type { DUE_WORDS } from './issues.filter-inputs.ts';

const DAY_MS = 86_400_000;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const plus = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** First and last day of the period of a word. @param today `YYYY-MM-DD` */
function span(word: (typeof DUE_WORDS)[number], today: string): [string, string] {
  const now = new Date(`${today}T00:00:00Z`);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  switch (word) {
    case 'tomorrow':
      return [dayOf(plus(now, 1)), dayOf(plus(now, 1))];
    case 'week': {
      const monday = plus(now, -((now.getUTCDay() + 6) % 7));
      return [dayOf(monday), dayOf(plus(monday, 6))];
    }
    case 'month':
      return [dayOf(new Date(Date.UTC(year, month, 1))), dayOf(new Date(Date.UTC(year, month + 1, 0)))];
    case 'next_month_and_previous_two_weeks':
      return [dayOf(plus(now, -14)), dayOf(new Date(Date.UTC(year, month + 2, 0)))];
    default:
      return [today, today];
  }
}

/** Condition: a due date lies in the period of a word; weeks begin on Monday. @param today `YYYY-MM-DD` */
export function dueWithin(
  column: Expression<unknown>,
  word: (typeof DUE_WORDS)[number],
  today: string,
): Expression<SqlBool> {
  if (word === '0') return sql<SqlBool>`${column} is null`;
  if (word === 'any') return sql<SqlBool>`${column} is not null`;
  if (word === 'overdue') return sql<SqlBool>`${column} < ${today}`;
  const [first, last] = span(word, today);
  return sql<SqlBool>`${column} between ${first} and ${last}`;
}
