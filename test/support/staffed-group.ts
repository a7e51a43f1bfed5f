import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { TestApp } from './app.ts';
import type { TestUser } from './factories.ts';

/** A group with people at several levels; `at` adds another. */
export async function staffedGroup(app: TestApp, parent?: Namespace) {
  const owner = await app.make.user();
  const group = await app.make.group({ owner: owner.user, ...(parent === undefined ? {} : { parent }) });
  const at = async (level: number): Promise<TestUser> => {
    const made = await app.make.user();
    await app.make.member({ group }, made.user, level);
    return made;
  };
  return { group, owner, guest: await at(10), developer: await at(30), maintainer: await at(40), at };
}
