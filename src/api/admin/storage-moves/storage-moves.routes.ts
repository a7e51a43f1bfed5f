import { type TSchema, Type } from 'typebox';
import { invalidParameter, recordNotFound } from '../../../core/core.errors.ts';
import type { StorageMove, StorageMoveKind } from '../../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../../deps.ts';
import type { BaseContext, Route } from '../../../http/http.route.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { moveAll } from '../../../repositories/moves/bulk.ts';
import { scheduleMove } from '../../../repositories/moves/storage-moves.schedule.ts';
import { administrator, onServer } from '../../api.access.ts';
import { movedReader, movedWriter } from './storage-moves.access.ts';
import { findMove, listMoves } from './storage-moves.find.ts';
import { ScheduleAllInput, ScheduleInput } from './storage-moves.inputs.ts';
import { Accepted, GroupStorageMove, ProjectStorageMove, SnippetStorageMove } from './storage-moves.responses.ts';
import { PRESENT } from './storage-moves.views.ts';

interface Kind {
  kind: StorageMoveKind;
  /** Path of all moves of the kind, and of the moves of one object. */
  all: string;
  own: string;
  schema: TSchema;
  /** Names of the moved objects, for descriptions. */
  one: string;
  many: string;
  what: string;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'project',
    all: '/project_repository_storage_moves',
    own: '/projects/:id/repository_storage_moves',
    schema: ProjectStorageMove,
    one: 'a project',
    many: 'projects',
    what: 'The project repository and its wiki repository move together.',
  },
  {
    kind: 'snippet',
    all: '/snippet_repository_storage_moves',
    own: '/snippets/:id/repository_storage_moves',
    schema: SnippetStorageMove,
    one: 'a snippet',
    many: 'snippets',
    what: 'Moves the repository of the snippet.',
  },
  {
    kind: 'group',
    all: '/group_repository_storage_moves',
    own: '/groups/:id/repository_storage_moves',
    schema: GroupStorageMove,
    one: 'a group',
    many: 'groups',
    what: 'Moves the wiki repository of the group; its projects stay where they are.',
  },
];

const params = Type.Object({ repository_storage_id: Type.Integer({ description: 'Id of the move.' }) });

/** @throws ApiError 400 if the storage does not exist */
function requireStorage(deps: Deps, parameter: string, name: string): void {
  if (!deps.storages.has(name)) throw invalidParameter(`${parameter} does not have a valid value`);
}

/** Routes for moves of repositories to other storages (part 2, section 4.4a); the same for each kind. */
function routesOf({ kind, all, own, schema, one, many, what }: Kind): Route[] {
  const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
  // Groups have wiki repositories only, which require this plan.
  const paid = kind === 'group' ? ({ plan: 'premium' } as const) : {};
  const list = (c: BaseContext, moved: number | null) =>
    c.page(listMoves(c.deps.db, kind, moved), (rows) => (rows.length === 0 ? [] : PRESENT[kind](c.deps, rows)));
  const present = async (deps: Deps, move: StorageMove) => {
    const [shown] = await PRESENT[kind](deps, [move]);
    if (shown === undefined) throw recordNotFound();
    return shown;
  };
  return [
    route({
      ...paid,
      method: 'GET',
      path: all,
      operationId: `listAll${name}RepositoryStorageMoves`,
      summary: `List storage moves of ${many}`,
      description: 'Newest first.',
      access: administrator,
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(schema) },
      handler: (c) => list(c, null),
    }),
    route({
      ...paid,
      method: 'GET',
      path: own,
      summary: `List the storage moves of ${one}`,
      description: 'Newest first.',
      access: movedReader(kind),
      input: Type.Object(pagination),
      success: { status: 200, schema: Type.Array(schema) },
      handler: (c) => list(c, c.moved),
    }),
    route({
      ...paid,
      method: 'GET',
      path: `${all}/:repository_storage_id`,
      operationId: `getAny${name}RepositoryStorageMove`,
      summary: `Get a storage move of ${many} by its id`,
      access: administrator,
      params,
      success: { status: 200, schema },
      errors: [404],
      handler: async ({ deps, params: { repository_storage_id } }) =>
        present(deps, await findMove(deps.db, kind, null, repository_storage_id)),
    }),
    route({
      ...paid,
      method: 'GET',
      path: `${own}/:repository_storage_id`,
      summary: `Get a storage move of ${one}`,
      access: movedReader(kind),
      params,
      success: { status: 200, schema },
      errors: [404],
      handler: async ({ deps, moved, params: { repository_storage_id } }) =>
        present(deps, await findMove(deps.db, kind, moved, repository_storage_id)),
    }),
    route({
      ...paid,
      method: 'POST',
      path: own,
      operationId: `schedule${name}RepositoryStorageMove`,
      summary: `Schedule a storage move of ${one}`,
      description: `${what} Writes are refused until the move is done; reads continue.`,
      access: movedWriter(kind),
      input: ScheduleInput,
      success: { status: 201, schema },
      errors: [400],
      handler: async ({ deps, moved, input }) =>
        present(deps, await scheduleMove(deps, kind, moved, input.destination_storage_name || null)),
    }),
    route({
      ...paid,
      method: 'POST',
      path: all,
      operationId: `scheduleAll${name}RepositoryStorageMoves`,
      summary: `Schedule storage moves of all ${many} on a storage`,
      description: 'A background job schedules a few at a time; the others stay writable until then.',
      access: onServer('admin_storage_moves'),
      input: ScheduleAllInput,
      success: { status: 202, schema: Accepted },
      errors: [400],
      handler: async ({ deps, input }) => {
        const { source_storage_name: source, destination_storage_name: destination } = input;
        requireStorage(deps, 'source_storage_name', source);
        if (destination) requireStorage(deps, 'destination_storage_name', destination);
        await moveAll(deps, kind, source, destination || null);
        return { message: '202 Accepted' };
      },
    }),
  ];
}

export const storageMoveRoutes: readonly Route[] = KINDS.flatMap(routesOf);
