import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of environments, deployments and what they wait for mean. */
export const environmentWords: Vocabulary['words'] = {};
