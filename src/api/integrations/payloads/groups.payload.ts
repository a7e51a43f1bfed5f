import type { Db } from '../../../db/db.schema.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

/** Returns a group by id; undefined if deleted. */
export const groupOf = async (db: Db, id: number): Promise<Namespace | undefined> =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id).where('kind', '=', 'group').executeTakeFirst();

/** Renders a group for payloads. */
export const groupPayload = ({ id, name, path, full_path }: Pick<Namespace, 'id' | 'name' | 'path' | 'full_path'>) => ({
  group_name: name,
  group_path: path,
  group_id: id,
  full_path,
});
