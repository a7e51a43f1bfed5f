import type { Deps } from '../../../deps.ts';
import { repositorySize } from '../../../git/git.repository-files.ts';
import { jobKind } from '../../../jobs/jobs.kinds.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { writeStatistics } from '../../spaces/index.ts';
import { recordWikiPages } from './record-pages.ts';

const SIZE = jobKind<{ wiki_id: number }>('wiki.size', { lane: 'slow' });
/** So long after a change, so that one count serves a burst of them. */
const PAUSE_MS = 10_000;

/** Tells what happens to pages, and keeps the sizes of wikis. */
export function registerWikiWork(deps: Deps): void {
  deps.refObservers.push(recordWikiPages(deps));
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

/** Writes how many bytes a wiki takes: into its row, and where it is a project's into the statistics of that. */
async function measure(deps: Deps, id: number): Promise<void> {
  const wiki = await deps.db.selectFrom('wikis').selectAll().where('id', '=', id).executeTakeFirst();
  if (wiki === undefined) return;
  const size = await repositorySize(repositoryOf(deps, wiki).dir);
  if (size !== wiki.repository_size) {
    await deps.db.updateTable('wikis').set({ repository_size: size }).where('id', '=', id).execute();
  }
  if (wiki.project_id !== null) await writeStatistics(deps, wiki.project_id, { wiki_size: size });
}
