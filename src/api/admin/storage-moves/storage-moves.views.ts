import type { Static } from 'typebox';
import { pluck } from '../../../core/pluck.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { StorageMove, StorageMoveKind } from '../../../db/tables/storage-moves.table.ts';
import type { Deps } from '../../../deps.ts';
import { snippetUrls } from '../../code/index.ts';
import { fullNames, groupWebUrl } from '../../spaces/index.ts';
import type { GroupStorageMove, ProjectStorageMove, SnippetStorageMove } from './storage-moves.responses.ts';

const entityOf = (move: StorageMove) => ({
  id: move.id,
  created_at: move.created_at,
  state: move.state,
  source_storage_name: move.source_storage_name,
  destination_storage_name: move.destination_storage_name,
  error_message: move.error_message,
});

async function presentProjectMoves(
  deps: Deps,
  moves: readonly StorageMove[],
): Promise<Static<typeof ProjectStorageMove>[]> {
  const columns = ['namespace_id', 'description', 'name', 'path', 'full_path', 'created_at'] as const;
  const projects = await rowsById(deps.db, 'projects', pluck(moves, 'project_id'), columns);
  const namespaces = await rowsById(deps.db, 'namespaces', pluck([...projects.values()], 'namespace_id'));
  const names = await fullNames(deps.db, [...namespaces.values()]);
  return moves.flatMap((move) => {
    const project = projects.get(move.project_id ?? 0);
    // The project was deleted after the move was read.
    if (project === undefined) return [];
    const { id, description, name, path, full_path, created_at, namespace_id } = project;
    const name_with_namespace = `${names.get(namespace_id) ?? ''} / ${name}`;
    const shown = { id, description, name, name_with_namespace, path, path_with_namespace: full_path, created_at };
    return { ...entityOf(move), project: shown };
  });
}

async function presentSnippetMoves(
  deps: Deps,
  moves: readonly StorageMove[],
): Promise<Static<typeof SnippetStorageMove>[]> {
  const rows = await deps.db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .select(['snippets.id', 'snippets.title', 'snippets.description', 'snippets.visibility'])
    .select(['snippets.updated_at', 'snippets.created_at', 'snippets.project_id', 'projects.full_path'])
    .where(
      'snippets.id',
      'in',
      moves.flatMap(({ snippet_id }) => snippet_id ?? []),
    )
    .execute();
  const snippets = new Map(rows.map((row) => [row.id, row]));
  return moves.flatMap((move) => {
    const located = snippets.get(move.snippet_id ?? 0);
    if (located === undefined) return [];
    const { full_path, ...snippet } = located;
    return { ...entityOf(move), snippet: { ...snippet, ...snippetUrls(deps, snippet.id, full_path) } };
  });
}

async function presentGroupMoves(
  deps: Deps,
  moves: readonly StorageMove[],
): Promise<Static<typeof GroupStorageMove>[]> {
  const groups = await rowsById(deps.db, 'namespaces', pluck(moves, 'group_id'));
  return moves.flatMap((move) => {
    const group = groups.get(move.group_id ?? 0);
    if (group === undefined) return [];
    const { id, name } = group;
    return { ...entityOf(move), group: { id, web_url: groupWebUrl(deps, group), name } };
  });
}

/** Presents moves of a kind, in a bounded number of queries. */
export const PRESENT = {
  project: presentProjectMoves,
  snippet: presentSnippetMoves,
  group: presentGroupMoves,
} satisfies Record<StorageMoveKind, unknown>;
