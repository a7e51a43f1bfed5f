import { sql } from 'kysely';
import { findReferences } from '../../../core/references.ts';
import { asciiLower } from '../../../db/like.ts';
import type { Deps } from '../../../deps.ts';
import { type Candidate, candidates } from './candidate.ts';

/** People that one text may name. */
const MAX_PEOPLE = 100;

const namesIn = (text: string): string[] =>
  findReferences(text).flatMap((reference) => (reference.type === 'user' ? [asciiLower(reference.username)] : []));

/** Those whom a text names. @param before what it was, for a text that was changed: whom that names is no news */
export async function mentionedIn({ db }: Pick<Deps, 'db'>, text: string, before = ''): Promise<Candidate[]> {
  const known = new Set(before === '' ? [] : namesIn(before));
  const names = namesIn(text)
    .filter((name) => !known.has(name))
    .slice(0, MAX_PEOPLE);
  if (names.length === 0) return [];
  const rows = await db.selectFrom('users').select('id').where(sql<string>`lower(username)`, 'in', names).execute();
  return candidates(
    rows.map(({ id }) => id),
    'mention',
    'mentioned',
  );
}
