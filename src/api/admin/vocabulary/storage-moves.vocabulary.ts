import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of moves between storages. */
export const storageMoveWords: Vocabulary['entries'] = {
  source_storage_name: ['Name of the source storage.', 'default'],
  destination_storage_name: ['Name of the destination storage.', 'second'],
  'SnippetRepositoryStorageMove.snippet': ['The snippet whose repository moves.'],
  error_message: ['Error of a failed move; null otherwise.'],
};
