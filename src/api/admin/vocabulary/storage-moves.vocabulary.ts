import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of moves between storages. */
export const storageMoveWords: Vocabulary['entries'] = {
  source_storage_name: ['Name of the storage where the repositories were.', 'default'],
  destination_storage_name: ['Name of the storage that they go to.', 'second'],
  'SnippetRepositoryStorageMove.snippet': ['The snippet whose repository moves.'],
  error_message: ['What went wrong; null where nothing has.'],
};
