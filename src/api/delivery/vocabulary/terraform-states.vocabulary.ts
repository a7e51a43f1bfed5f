import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Words of Terraform states. */
export const terraformStateWords: Vocabulary['entries'] = {
  serial: ['Number that Terraform gives each version of a state, a higher one each time.', 7],
};
