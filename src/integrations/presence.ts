import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';

const anyActive = prepared((db) => db.selectFrom('integrations').select('id').where('active', '=', 1).limit(1));

/** Whether anybody has an integration: where nobody does, what asks for them costs no statement. */
export const hasIntegrations = (deps: Pick<Deps, 'recent'>, db: Db): Promise<boolean> =>
  deps.recent.get('integrations', async () => {
    return (await anyActive(db, {})).length > 0;
  });
