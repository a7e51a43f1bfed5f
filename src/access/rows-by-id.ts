import { type Ids, prepared } from '../db/prepared.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';

interface ById {
  id: number;
}

/** The project of an id, unless it is being removed. */
export const projectOfId = prepared((db, { id }: ById) =>
  db.selectFrom('projects').selectAll().where('pending_delete', '=', 0).where('id', '=', id),
);

/** The projects of ids, those, too, that are being removed. */
export const projectsOfIds = prepared((db, { ids }: Ids) =>
  db.selectFrom('projects').selectAll().where('id', 'in', ids),
);

/** The group or personal namespace of an id. */
export const namespaceOfId = cachedUntilWrite((db, { id }: ById) =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id),
);

/** The groups and personal namespaces of ids. */
export const namespacesOfIds = prepared((db, { ids }: Ids) =>
  db.selectFrom('namespaces').selectAll().where('id', 'in', ids),
);

/** The users of ids, whatever has become of them. */
export const usersOfIds = prepared((db, { ids }: Ids) => db.selectFrom('users').selectAll().where('id', 'in', ids));

/** The user of an id, whatever has become of them. */
export const userOfId = cachedUntilWrite((db, { id }: ById) => db.selectFrom('users').selectAll().where('id', '=', id));
