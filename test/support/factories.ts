import type { Updateable } from 'kysely';
import type { RolePermission } from '../../src/access/role-permissions.ts';
import { createAccount } from '../../src/api/identity/users/users.account.ts';
import { createGroup } from '../../src/api/spaces/groups/groups.create.ts';
import { createProject } from '../../src/api/spaces/projects/projects.create.ts';
import type { Visibility } from '../../src/core/access-levels.ts';
import { timestamp } from '../../src/core/clock.ts';
import { tokenDigest } from '../../src/core/core.secrets.ts';
import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import type { User, UsersTable } from '../../src/db/tables/users.table.ts';
import type { Deps } from '../../src/deps.ts';

export interface TestUser {
  user: User;
  token: string;
}

/** Makes users, groups and projects quickly; each with a name of its own. */
export class Factories {
  readonly #deps: Deps;
  #count = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  /** A user with a token of scope `api` (or those given). */
  async user(
    options: { username?: string; admin?: boolean; scopes?: string[]; columns?: Updateable<UsersTable> } = {},
  ): Promise<TestUser> {
    const { db, clock } = this.#deps;
    const username = options.username ?? `user${this.#next()}`;
    const user = await db.transaction().execute(async (db) => {
      const created = await createAccount(db, clock, {
        username,
        name: `Name of ${username}`,
        email: `${username}@example.org`,
        admin: options.admin ?? false,
      });
      if (options.columns === undefined) return created;
      return db
        .updateTable('users')
        .set(options.columns)
        .where('id', '=', created.id)
        .returningAll()
        .executeTakeFirstOrThrow();
    });
    return { user, token: await this.token(user.id, options.scopes) };
  }

  /** A personal access token of the user. */
  async token(userId: number, scopes: string[] = ['api']): Promise<string> {
    const token = `glpat-test-${userId}-${this.#next()}-padding`;
    await this.#deps.db
      .insertInto('access_tokens')
      .values({
        user_id: userId,
        name: 'test',
        digest: tokenDigest(token),
        scopes: JSON.stringify(scopes),
        created_at: timestamp(this.#deps.clock),
        last_used_at: timestamp(this.#deps.clock),
      })
      .execute();
    return token;
  }

  async group(
    options: { path?: string; parent?: Namespace; visibility?: Visibility; owner?: User } = {},
  ): Promise<Namespace> {
    const path = options.path ?? `group${this.#next()}`;
    return createGroup(this.#deps, {
      name: path,
      path,
      parent: options.parent ?? null,
      visibility: options.visibility ?? 'private',
      creatorId: options.owner?.id ?? 1,
    });
  }

  /** A project with an empty repository, in the personal namespace of root or of `owner`, or in a group. */
  async project(
    options: {
      path?: string;
      namespace?: Namespace;
      owner?: User;
      visibility?: Visibility;
      columns?: Partial<Project>;
    } = {},
  ): Promise<Project> {
    const path = options.path ?? `project${this.#next()}`;
    const namespace =
      options.namespace ??
      (await this.#deps.db
        .selectFrom('namespaces')
        .selectAll()
        .where('owner_id', '=', options.owner?.id ?? 1)
        .executeTakeFirstOrThrow());
    return createProject(this.#deps, {
      namespace,
      name: path,
      path,
      visibility: options.visibility ?? 'private',
      creatorId: options.owner?.id ?? 1,
      defaultBranch: 'main',
      ...(options.columns === undefined ? {} : { columns: options.columns }),
    });
  }

  async member(
    source: { project: Project } | { group: Namespace },
    user: User,
    accessLevel: number,
    expiresAt: string | null = null,
    memberRoleId: number | null = null,
  ): Promise<void> {
    await this.#deps.db
      .insertInto('members')
      .values({
        source_type: 'project' in source ? 'project' : 'group',
        source_id: 'project' in source ? source.project.id : source.group.id,
        user_id: user.id,
        access_level: accessLevel,
        member_role_id: memberRoleId,
        expires_at: expiresAt,
        created_at: timestamp(this.#deps.clock),
      })
      .execute();
  }

  /** The id of a custom role with these permissions, of the server or of a group, made without asking whether they fit. */
  async memberRole(
    baseAccessLevel: number,
    permissions: readonly RolePermission[],
    groupId: number | null = null,
  ): Promise<number> {
    const { db, clock } = this.#deps;
    const row = {
      group_id: groupId,
      name: `role${this.#next()}`,
      base_access_level: baseAccessLevel,
      created_at: timestamp(clock),
    };
    const { id } = await db.insertInto('member_roles').values(row).returning('id').executeTakeFirstOrThrow();
    const held = permissions.map((permission) => ({ member_role_id: id, permission }));
    if (held.length > 0) await db.insertInto('member_role_permissions').values(held).execute();
    return id;
  }

  /** One user at each access level of the project, by name, with a stranger who is no member. */
  async members(
    project: Project,
  ): Promise<Record<'guest' | 'planner' | 'reporter' | 'developer' | 'maintainer' | 'owner' | 'stranger', TestUser>> {
    const levels = {
      guest: 10,
      planner: 15,
      reporter: 20,
      developer: 30,
      maintainer: 40,
      owner: 50,
      stranger: 0,
    } as const;
    const made = {} as Record<keyof typeof levels, TestUser>;
    for (const [name, level] of Object.entries(levels) as [keyof typeof levels, number][]) {
      made[name] = await this.user();
      if (level > 0) await this.member({ project }, made[name].user, level);
    }
    return made;
  }
}
