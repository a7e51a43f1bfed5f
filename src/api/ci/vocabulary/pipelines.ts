import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of pipelines, jobs, schedules and triggers mean. */
export const pipelineWords: Vocabulary['words'] = {};
