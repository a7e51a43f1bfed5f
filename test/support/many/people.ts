import { tokenDigest } from '../../../src/core/core.secrets.ts';
import type { Db } from '../../../src/db/db.schema.ts';
import { at, insert, type Row, rowsOf, USERS } from './rows.ts';

/** Token of `ana`, a user who is no administrator: member of the group and of some projects beside. */
export const ANA_TOKEN = 'glpat-many-rows-token-of-ana';
/** The group with three projects of ten, and the project with a fifth of all issues, merge requests and events. */
export const MANY = { group: 'many', project: 'many/p1', user: 'ana' };

/** Users, ana's token, a group with ana in it. @returns the group's id */
export async function people(db: Db): Promise<number> {
  const stamp = { created_at: at(0), updated_at: at(0) };
  await insert(
    db,
    'users',
    rowsOf(USERS, (n) => {
      const username = n === 0 ? MANY.user : `user-${n}`;
      return { id: 1_000 + n, username, name: `Name ${n}`, email: `${username}@example.org`, ...stamp };
    }),
  );
  await insert(
    db,
    'namespaces',
    rowsOf(USERS, (n) => {
      const path = n === 0 ? MANY.user : `user-${n}`;
      const id = 2_000 + n;
      const place = { name: path, path, full_path: path, lineage: `/${id}/` };
      return { id, kind: 'user', ...place, owner_id: 1_000 + n, visibility: 'public', ...stamp };
    }),
  );
  await insert(db, 'access_tokens', [
    {
      user_id: 1_000,
      name: 'bench',
      digest: tokenDigest(ANA_TOKEN),
      scopes: '["api"]',
      created_at: at(0),
      last_used_at: new Date().toISOString(),
    },
  ]);
  const group = 3_000;
  const place = { name: MANY.group, path: MANY.group, full_path: MANY.group, lineage: `/${group}/` };
  await insert(db, 'namespaces', [{ id: group, kind: 'group', ...place, visibility: 'private', ...stamp }]);
  await insert(
    db,
    'members',
    rowsOf(20, (n) => ({
      source_type: 'group',
      source_id: group,
      user_id: 1_000 + n,
      access_level: n === 0 ? 40 : 30,
      created_at: at(n),
    })),
  );
  return group;
}

/** Projects: three of ten in the group, the others with the users. @returns the id of the first, the big one */
export async function projects(
  db: Db,
  amount: number,
  group: number,
  place: (n: number) => { repository_storage: string; disk_path: string },
): Promise<number> {
  const first = 10_000;
  await insert(
    db,
    'projects',
    rowsOf(amount, (n) => {
      const inGroup = n % 10 < 3;
      const owner = n % USERS;
      const path = `p${n + 1}`;
      const home = inGroup ? MANY.group : owner === 0 ? MANY.user : `user-${owner}`;
      return {
        id: first + n,
        namespace_id: inGroup ? group : 2_000 + owner,
        name: path,
        path,
        full_path: `${home}/${path}`,
        visibility: n % 10 === 9 ? 'public' : n % 10 === 8 ? 'internal' : 'private',
        ...place(n),
        fork_root_id: first + n,
        creator_id: 1_000 + owner,
        star_count: n % 13,
        created_at: at(n),
        updated_at: at(n * 2),
        last_activity_at: at(n * 3),
      };
    }),
  );
  const member = (n: number, userId: number, level: number): Row => ({
    source_type: 'project',
    source_id: first + n,
    user_id: userId,
    access_level: level,
    created_at: at(n),
  });
  await insert(
    db,
    'members',
    rowsOf(amount, (n) => (n % 10 < 3 ? null : member(n, 1_000 + (n % USERS), 50))),
  );
  await insert(
    db,
    'members',
    rowsOf(amount, (n) => (n % 50 === 3 && n % USERS !== 0 ? member(n, 1_000, 30) : null)),
  );
  return first;
}
