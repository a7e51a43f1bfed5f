import type { Db } from '../db/schema.ts';
import type { Deps } from '../deps.ts';

/** Whether anybody has an integration: where nobody does, what asks for them costs no statement. */
export const anyIntegrations = (deps: Pick<Deps, 'recent'>, db: Db): Promise<boolean> =>
  deps.recent.get('integrations', async () => {
    const found = await db.selectFrom('integrations').select('id').where('active', '=', 1).limit(1).executeTakeFirst();
    return found !== undefined;
  });
