import { type FieldErrors, invalidModel } from '../../../core/core.errors.ts';
import type { CiRunner } from '../../../db/tables/ci-runners.table.ts';

const MAX_TAGS = 50;
const MIN_TIMEOUT = 600;

/** Attributes of a runner that are validated together. */
export type CheckedRunner = Pick<CiRunner, 'run_untagged' | 'maximum_timeout'> & { tags: readonly string[] };

/** @throws ApiError 400 for attributes that contradict each other */
export function checkRunner({ run_untagged, maximum_timeout, tags }: CheckedRunner): void {
  const errors: FieldErrors = {};
  if (maximum_timeout !== null && maximum_timeout < MIN_TIMEOUT) {
    errors.maximum_timeout = ['needs to be at least 10 minutes'];
  }
  const tagErrors = [
    ...(tags.length === 0 && run_untagged === 0
      ? ['can not be empty when runner is not allowed to pick untagged jobs']
      : []),
    ...(tags.length > MAX_TAGS ? [`Too many tags specified. Please limit the number of tags to ${MAX_TAGS}`] : []),
  ];
  if (tagErrors.length > 0) errors.tags_list = tagErrors;
  if (Object.keys(errors).length > 0) throw invalidModel(errors);
}

/** Normalizes tags: trimmed, without duplicates. */
export const cleanTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== '')),
];
