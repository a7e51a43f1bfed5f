import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by configurations. */
export const lintWords: Vocabulary['entries'] = {
  merged_yaml: ['The configuration with all includes and `extends` resolved.', '---\ntest:\n  script: make test\n'],
};
