import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of relation exports. */
export const relationExportWords: Vocabulary['entries'] = {
  relation: ['What a group or project has of one kind.', 'milestones'],
  batched: ['Whether it comes in batches.', false],
  batches: ['Its files, in the order of their numbers.'],
  batches_count: ['How many files there are so far.', 3],
  batch_number: ['Number of the file, from 1.', 1],
  objects_count: ['How many objects the file holds.', 1000],
  total_objects_count: ['How many objects were exported so far.', 2048],
};
