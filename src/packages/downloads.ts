import { timestamp } from '../core/clock.ts';
import type { Deps } from '../deps.ts';

/** How exact the time of the last download is: a package that is fetched all the time is not written to all the time. */
const EXACT_TO_MS = 60_000;

/** Remembers that a file of a package was downloaded. */
export async function noteDownload(deps: Deps, packageId: number): Promise<void> {
  const now = deps.clock.now().getTime();
  const before = new Date(now - EXACT_TO_MS).toISOString();
  await deps.db
    .updateTable('packages')
    .set({ last_downloaded_at: timestamp(deps.clock) })
    .where('id', '=', packageId)
    .where((eb) => eb.or([eb('last_downloaded_at', 'is', null), eb('last_downloaded_at', '<', before)]))
    .execute();
}
