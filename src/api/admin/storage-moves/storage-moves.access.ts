import { Type } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { notFound } from '../../../core/core.errors.ts';
import type { StorageMoveKind } from '../../../db/tables/storage-moves.table.ts';
import type { Access } from '../../../http/http.route.ts';
import { byAdministrator, inGroup, inProject } from '../../api.access.ts';

/** Loaded by routes of one project, snippet or group: its id. */
interface Moved {
  moved: number;
  caller: UserCaller;
}

const ABILITY = 'admin_storage_moves';

function idOf<A extends object>(access: Access<A>, id: (scope: A) => number): Access<{ moved: number }> {
  return { ...access, check: async (request) => ({ moved: id(await access.check(request)) }) };
}

const snippet: Access<{ moved: number }> = {
  description: '',
  anonymous: false,
  params: { id: Type.Integer({ description: 'Id of the personal or project snippet.' }) },
  check: async ({ deps, values }) => {
    const row = await deps.db
      .selectFrom('snippets')
      .select('id')
      .where('id', '=', values().id as number)
      .executeTakeFirstOrThrow(() => notFound('Snippet'));
    return { moved: row.id };
  },
};

const PLACES: Record<StorageMoveKind, Access<{ moved: number }>> = {
  project: idOf(inProject('read_project'), ({ project }) => project.id),
  snippet,
  group: idOf(inGroup('read_group'), ({ group }) => group.id),
};

/** Access for administrators to one project, snippet or group; 404 if it does not exist. */
export const movedReader = (kind: StorageMoveKind): Access<Moved> => byAdministrator(PLACES[kind]);
export const movedWriter = (kind: StorageMoveKind): Access<Moved> => byAdministrator(PLACES[kind], ABILITY);
