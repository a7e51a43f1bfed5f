import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/** The group of an id; undefined when it is gone. */
export const groupOf = async (db: Db, id: number): Promise<Namespace | undefined> =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id).where('kind', '=', 'group').executeTakeFirst();

/** A group as messages show one. */
export const groupPayload = ({ id, name, path, full_path }: Pick<Namespace, 'id' | 'name' | 'path' | 'full_path'>) => ({
  group_name: name,
  group_path: path,
  group_id: id,
  full_path,
});
