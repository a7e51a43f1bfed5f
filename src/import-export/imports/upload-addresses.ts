import { createHash } from 'node:crypto';
import type { Importing } from './importing.ts';
import { type Given, isGiven } from './take.ts';

const ADDRESS = /\/uploads\/([0-9a-f]{32})\//g;
const AT_ONCE = 500;

type Place = Pick<Importing['place'], 'kind' | 'id'>;

/** The secret under which a place gets files whose own is taken on this server: the same however often it is asked for. */
export const secretElsewhere = ({ kind, id }: Place, secret: string): string =>
  createHash('sha256').update(`${kind}:${id}:${secret}`).digest('hex').slice(0, 32);

function secretsIn(value: unknown, found: Set<string>): Set<string> {
  if (typeof value === 'string') for (const [, secret] of value.matchAll(ADDRESS)) found.add(secret!);
  else if (Array.isArray(value) || isGiven(value)) for (const each of Object.values(value)) secretsIn(each, found);
  return found;
}

function rewritten(value: unknown, moved: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replace(ADDRESS, (all, secret: string) =>
      moved.has(secret) ? `/uploads/${moved.get(secret)}/` : all,
    );
  if (Array.isArray(value)) return value.map((each) => rewritten(each, moved));
  if (!isGiven(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewritten(each, moved)]));
}

/** Has texts point to the files of the place, where these have got other addresses; the files have to be there already. */
export async function withOwnAddresses(
  { deps, place }: Pick<Importing, 'deps' | 'place'>,
  objects: readonly Given[],
): Promise<readonly Given[]> {
  const secrets = [...secretsIn(objects, new Set())];
  const moved = new Map<string, string>();
  for (let at = 0; at < secrets.length; at += AT_ONCE) {
    const others = new Map(secrets.slice(at, at + AT_ONCE).map((secret) => [secretElsewhere(place, secret), secret]));
    const rows = await deps.db
      .selectFrom('uploads')
      .select('secret')
      .where(`${place.kind}_id`, '=', place.id)
      .where('secret', 'in', [...others.keys()])
      .execute();
    for (const { secret } of rows) moved.set(others.get(secret)!, secret);
  }
  return moved.size === 0 ? objects : objects.map((object) => rewritten(object, moved) as Given);
}
