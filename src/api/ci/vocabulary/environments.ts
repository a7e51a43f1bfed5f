import type { Vocabulary } from '../../../http/openapi/words.ts';

/** What the words of environments, deployments and what they wait for mean. */
export const environmentWords: Vocabulary['words'] = {
  freeze_period_id: ['Id of the freeze period.', 3],
  freeze_start: ['When it begins: five fields as cron reads them.', '0 23 * * 5'],
  freeze_end: ['When it ends: five fields as cron reads them.', '0 7 * * 1'],
  process_mode: ['Which job gets it next.', 'unordered'],
  'ResourceGroup.key': ['What jobs call it.', 'production'],
};
