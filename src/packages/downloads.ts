import type { Package } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';

/** Remembers that a file of a package was downloaded. */
export const recordDownload = ({ downloads, clock }: Pick<Deps, 'downloads' | 'clock'>, packageId: number): void =>
  downloads.record(packageId, clock.now().toISOString());

/** When a file of the package was last downloaded; null for never. */
export function lastDownload({ downloads }: Pick<Deps, 'downloads'>, row: Package): string | null {
  const kept = downloads.of(row.id);
  const { last_downloaded_at: known } = row;
  return kept !== undefined && (known === null || kept > known) ? kept : known;
}
