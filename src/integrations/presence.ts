import type { Db } from '../db/db.schema.ts';
import { prepared } from '../db/prepared.ts';
import type { Deps } from '../deps.ts';

const anyActive = prepared((db) => db.selectFrom('integrations').select('id').where('active', '=', 1).limit(1));

/** Whether any integration exists; cached, so that events cost no statement otherwise. */
export const hasIntegrations = (deps: Pick<Deps, 'recent'>, db: Db): Promise<boolean> =>
  deps.recent.get('integrations', async () => {
    return (await anyActive(db, {})).length > 0;
  });
