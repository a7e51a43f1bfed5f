import type { Vocabulary } from '../../../http/openapi/openapi.words.ts';

/** Names used by Terraform states. */
export const terraformStateWords: Vocabulary['entries'] = {
  serial: ['Serial number of the state version, which Terraform increases with each version.', 7],
};
