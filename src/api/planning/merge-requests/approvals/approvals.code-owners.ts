import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import {
  CODE_OWNERS_PATHS,
  type CodeOwner,
  type CodeOwnerEntry,
  CodeOwnerMatcher,
  parseCodeOwners,
} from '../../../../core/core.code-owners.ts';
import type { Db } from '../../../../db/db.schema.ts';
import { asciiLower } from '../../../../db/like.ts';
import type { Repository } from '../../../../git/repository/index.ts';
import { entryAt } from '../../../../git/trees/index.ts';
import type { NamedApprovers } from './eligible.ts';

/** Maximum size of a CODEOWNERS file; a larger one has no entries. */
const MAX_FILE = 1024 * 1024;
/** Milliseconds of matching before the loop yields to other requests. */
const STRETCH_MS = 5;
/**
 * Maximum number of comparisons for a merge request; beyond it every entry counts as a match, so that no owner is
 * missed.
 */
const MAX_STEPS = 50_000_000;
const BATCH = 500;

/**
 * Reads the entries of the CODEOWNERS file of a branch; empty if there is no file.
 * @param branch without `refs/heads/`
 */
export async function readCodeOwners(repo: Repository, branch: string): Promise<CodeOwnerEntry[]> {
  const commit = await repo.refs.resolve(`refs/heads/${branch}`);
  if (commit === null) return [];
  for (const path of CODE_OWNERS_PATHS) {
    const entry = await entryAt(repo, commit, path);
    if (entry?.type !== 'blob' || entry.mode === '120000') continue;
    const blob = await repo.objects.read(entry.oid, MAX_FILE);
    return blob?.data == null ? [] : parseCodeOwners(blob.data.toString('utf8'));
  }
  return [];
}

/** The entries that apply to any of the paths, in the order of the file. Yields to other requests. */
export async function entriesForPaths(
  entries: readonly CodeOwnerEntry[],
  paths: readonly string[],
): Promise<CodeOwnerEntry[]> {
  const matcher = new CodeOwnerMatcher(entries);
  const matches = new Set<CodeOwnerEntry>();
  let since = performance.now();
  for (const path of paths) {
    for (const entry of matcher.entriesFor(path)) matches.add(entry);
    if (matcher.steps > MAX_STEPS) return entries.filter(({ excludes }) => !excludes);
    if (performance.now() - since < STRETCH_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return entries.filter((entry) => matches.has(entry));
}

/** Resolves the owners of each entry: users, groups and roles. */
export async function resolveOwners(db: Db, entries: readonly CodeOwnerEntry[]): Promise<NamedApprovers[]> {
  const owners = entries.flatMap((entry) => entry.owners);
  const names = textsOf(owners, (owner) => (owner.type === 'name' ? owner.name : undefined));
  const emails = textsOf(owners, (owner) => (owner.type === 'email' ? owner.email : undefined));
  const users = new Map<string, number>();
  const groups = new Map<string, number>();
  const addresses = new Map<string, number>();
  for (const some of batches(names)) {
    for (const { id, name } of await usersNamed(db, some)) users.set(name, id);
    for (const { id, name } of await groupsNamed(db, some)) groups.set(name, id);
  }
  for (const some of batches(emails)) {
    for (const { id, name } of await usersOfAddresses(db, some)) addresses.set(name, id);
  }
  return entries.map(({ owners }) => {
    const named = textsOf(owners, (owner) => (owner.type === 'name' ? owner.name : undefined));
    const written = textsOf(owners, (owner) => (owner.type === 'email' ? owner.email : undefined));
    const userIds = [...named.map((name) => users.get(name)), ...written.map((email) => addresses.get(email))];
    return {
      userIds: unique(userIds),
      groupIds: unique(named.map((name) => groups.get(name))),
      roles: unique(owners.map((owner) => (owner.type === 'role' ? owner.level : undefined))),
    };
  });
}

const unique = (ids: readonly (number | undefined)[]): number[] =>
  [...new Set(ids.filter((id) => id !== undefined))].sort((a, b) => a - b);

const textsOf = (owners: readonly CodeOwner[], text: (owner: CodeOwner) => string | undefined): string[] => [
  ...new Set(owners.flatMap((owner) => text(owner) ?? []).map(asciiLower)),
];

function* batches(texts: readonly string[]): Generator<string[]> {
  for (let at = 0; at < texts.length; at += BATCH) yield texts.slice(at, at + BATCH);
}

interface NamedRow {
  id: number;
  /** Lowercase name. */
  name: string;
}

const usersNamed = (db: Db, names: readonly string[]): Promise<NamedRow[]> =>
  db
    .selectFrom('users')
    .select(['id', sql<string>`lower(username)`.as('name')])
    .where(sql<string>`lower(username)`, 'in', names)
    .execute();

const groupsNamed = (db: Db, names: readonly string[]): Promise<NamedRow[]> =>
  db
    .selectFrom('namespaces')
    .select(['id', sql<string>`lower(full_path)`.as('name')])
    .where(sql<string>`lower(full_path)`, 'in', names)
    .where('kind', '=', 'group')
    .execute();

const usersOfAddresses = async (db: Db, emails: readonly string[]): Promise<NamedRow[]> => [
  ...(await db
    .selectFrom('emails')
    .select(['user_id as id', sql<string>`lower(email)`.as('name')])
    .where(sql<string>`lower(email)`, 'in', emails)
    .where('confirmed_at', 'is not', null)
    .execute()),
  ...(await db
    .selectFrom('users')
    .select(['id', sql<string>`lower(email)`.as('name')])
    .where(sql<string>`lower(email)`, 'in', emails)
    .execute()),
];
