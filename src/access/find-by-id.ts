import { type Ids, prepared } from '../db/prepared.ts';
import { cachedUntilWrite } from '../db/read-cache.ts';

interface ById {
  id: number;
}

/** Finds a project by id, unless it is being deleted. */
export const projectOfId = prepared((db, { id }: ById) =>
  db.selectFrom('projects').selectAll().where('pending_delete', '=', 0).where('id', '=', id),
);

/** Finds projects by id, including those being deleted. */
export const projectsOfIds = prepared((db, { ids }: Ids) =>
  db.selectFrom('projects').selectAll().where('id', 'in', ids),
);

/** Finds a group or personal namespace by id. */
export const namespaceOfId = cachedUntilWrite((db, { id }: ById) =>
  db.selectFrom('namespaces').selectAll().where('id', '=', id),
);

/** Finds groups and personal namespaces by id. */
export const namespacesOfIds = prepared((db, { ids }: Ids) =>
  db.selectFrom('namespaces').selectAll().where('id', 'in', ids),
);

/** Finds users by id, whatever their state. */
export const usersOfIds = prepared((db, { ids }: Ids) => db.selectFrom('users').selectAll().where('id', 'in', ids));

/** Finds a user by id, whatever their state. */
export const userOfId = cachedUntilWrite((db, { id }: ById) => db.selectFrom('users').selectAll().where('id', '=', id));
