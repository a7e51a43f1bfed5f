import type { Deps } from '../../../deps.ts';
import { repositorySize } from '../../../git/repository/index.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { writeStatistics } from '../../spaces/index.ts';
import { recordWikiPages } from './record-pages.ts';

const SIZE = jobKind<{ wiki_id: number }>('wiki.size', { lane: 'slow' });
/** Delay after a change, so that one measurement serves several changes. */
const PAUSE_MS = 10_000;

/** Registers page events and the measurement of wiki sizes. */
export function registerWikiWork(deps: Deps): void {
  deps.refChanges.wiki.observers.push(recordWikiPages(deps));
  deps.jobs.register(SIZE, ({ wiki_id }) => measure(deps, wiki_id));
  deps.events.subscribe({
    name: 'wiki.size',
    types: ['wiki.pushed'],
    handle: async ({ payload: { wiki_id } }) => {
      const runAt = new Date(deps.clock.now().getTime() + PAUSE_MS);
      await deps.jobs.enqueue(deps.db, SIZE, { wiki_id }, { uniqueKey: wiki_id, runAt });
    },
  });
}

/** Stores the size of a wiki in its row, and for projects in the project statistics. */
async function measure(deps: Deps, id: number): Promise<void> {
  const wiki = await deps.db.selectFrom('wikis').selectAll().where('id', '=', id).executeTakeFirst();
  if (wiki === undefined) return;
  const size = await repositorySize(repositoryOf(deps, wiki).dir);
  if (size !== wiki.repository_size) {
    await deps.db.updateTable('wikis').set({ repository_size: size }).where('id', '=', id).execute();
  }
  if (wiki.project_id !== null) await writeStatistics(deps, wiki.project_id, { wiki_size: size });
}
