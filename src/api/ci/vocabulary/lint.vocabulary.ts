import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** What the words of configurations mean. */
export const lintWords: Vocabulary['entries'] = {
  merged_yaml: ['The configuration with all that it includes and extends.', '---\ntest:\n  script: make test\n'],
};
