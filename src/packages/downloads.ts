import type { Package } from '../db/tables/packages.table.ts';
import type { Deps } from '../deps.ts';

/** Records the download of a package file. */
export const recordDownload = ({ downloads, clock }: Pick<Deps, 'downloads' | 'clock'>, packageId: number): void =>
  downloads.record(packageId, clock.now().toISOString());

/** Time of the last download of a package; null for never. */
export function lastDownload({ downloads }: Pick<Deps, 'downloads'>, row: Package): string | null {
  const pending = downloads.of(row.id);
  const { last_downloaded_at: known } = row;
  return pending !== undefined && (known === null || pending > known) ? pending : known;
}
