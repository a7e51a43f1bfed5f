import { createHash } from 'node:crypto';
import { type ImportedObject, isImportedObject } from './coerce-import.ts';
import type { ImportContext } from './import-context.ts';

const ADDRESS = /\/uploads\/([0-9a-f]{32})\//g;
const BATCH_SIZE = 500;

type Place = Pick<ImportContext['place'], 'kind' | 'id'>;

/** Secret for an upload whose own secret is taken on this server; deterministic. */
export const secretElsewhere = ({ kind, id }: Place, secret: string): string =>
  createHash('sha256').update(`${kind}:${id}:${secret}`).digest('hex').slice(0, 32);

function secretsIn(value: unknown, secrets: Set<string>): Set<string> {
  if (typeof value === 'string') for (const [, secret] of value.matchAll(ADDRESS)) secrets.add(secret!);
  else if (Array.isArray(value) || isImportedObject(value))
    for (const each of Object.values(value)) secretsIn(each, secrets);
  return secrets;
}

function rewritten(value: unknown, moved: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string')
    return value.replace(ADDRESS, (all, secret: string) =>
      moved.has(secret) ? `/uploads/${moved.get(secret)}/` : all,
    );
  if (Array.isArray(value)) return value.map((each) => rewritten(each, moved));
  if (!isImportedObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewritten(each, moved)]));
}

/** Rewrites links in texts to uploads that got another secret; the uploads must already exist. */
export async function withOwnAddresses(
  { deps, place }: Pick<ImportContext, 'deps' | 'place'>,
  objects: readonly ImportedObject[],
): Promise<readonly ImportedObject[]> {
  const secrets = [...secretsIn(objects, new Set())];
  const moved = new Map<string, string>();
  for (let at = 0; at < secrets.length; at += BATCH_SIZE) {
    const others = new Map(
      secrets.slice(at, at + BATCH_SIZE).map((secret) => [secretElsewhere(place, secret), secret]),
    );
    const rows = await deps.db
      .selectFrom('uploads')
      .select('secret')
      .where(`${place.kind}_id`, '=', place.id)
      .where('secret', 'in', [...others.keys()])
      .execute();
    for (const { secret } of rows) moved.set(others.get(secret)!, secret);
  }
  return moved.size === 0 ? objects : objects.map((object) => rewritten(object, moved) as ImportedObject);
}
