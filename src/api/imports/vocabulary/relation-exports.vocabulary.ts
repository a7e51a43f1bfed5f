import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by relation exports. */
export const relationExportWords: Vocabulary['entries'] = {
  relation: ['Kind of objects of a group or project.', 'milestones'],
  batched: ['Whether the export is batched.', false],
  batches: ['Batches, in order of their numbers.'],
  batches_count: ['Number of batches so far.', 3],
  batch_number: ['Number of the batch, starting at 1.', 1],
  objects_count: ['Number of objects in the batch.', 1000],
  total_objects_count: ['Number of objects exported so far.', 2048],
};
