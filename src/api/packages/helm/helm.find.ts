import { type SqlBool, sql } from 'kysely';
import { parseJson } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import type { PackageFile } from '../../../db/tables/package-files.table.ts';
import { installableOf, newestFile } from '../../../packages/package-registry.find.ts';
import { type Chart, isChartName, isChartVersion } from './chart.ts';

/** Metadata of the file of a chart. The channel is first, where a query can match it. */
interface Facts {
  channel: string;
  chart: Chart;
}
export const factsOf = (channel: string, chart: Chart): Facts => ({ channel, chart });

/** Query for all charts of a project. */
export const charts = (db: Db, projectId: number) => installableOf(db.selectFrom('packages'), { projectId }, 'helm');

const inChannel = (channel: string) => {
  const start = `{"channel":${JSON.stringify(channel)},`;
  return sql<SqlBool>`substr(package_files.metadata, 1, ${sql.lit(start.length)}) = ${start}`;
};

/** A chart of an index. */
export interface IndexedChart {
  chart: Chart;
  sha256: string;
  fileName: string;
  /** ISO 8601. */
  createdAt: string;
}

/** Returns the latest file of each version in a channel. @param limit maximum number, latest first */
export async function chartsIn(db: Db, projectId: number, channel: string, limit: number): Promise<IndexedChart[]> {
  const rows = await db
    .selectFrom('package_files')
    .select(['file_name', 'sha256', 'metadata', 'created_at'])
    .where('id', 'in', () =>
      charts(db, projectId)
        .innerJoin('package_files', 'package_files.package_id', 'packages.id')
        .select((eb) => eb.fn.max<number>('package_files.id').as('id'))
        .where('package_files.status', '=', 'default')
        .where(inChannel(channel))
        .groupBy('packages.id'),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ file_name: fileName, sha256, metadata, created_at: createdAt }) => {
    const { chart } = parseJson<Facts>(metadata);
    return { chart, sha256, fileName, createdAt };
  });
}

/** Returns the possible names and versions in a file name. */
function versionsIn(fileName: string): { name: string; version: string }[] {
  const words = fileName.replace(/\.tgz$/, '').split('-');
  return words
    .map((_, at) => ({ name: words.slice(0, at).join('-'), version: words.slice(at).join('-') }))
    .filter(({ name, version }) => isChartName(name) && isChartVersion(version));
}

/** Returns the latest file of a chart in a channel. */
export async function chartFile(
  db: Db,
  projectId: number,
  channel: string,
  fileName: string,
): Promise<PackageFile | undefined> {
  const versions = versionsIn(fileName);
  if (versions.length === 0) return undefined;
  const among = charts(db, projectId).where((eb) =>
    eb.or(
      versions.map(({ name, version }) =>
        eb.and([eb('packages.name_key', '=', name), eb('packages.version_key', '=', version)]),
      ),
    ),
  );
  return newestFile(among, fileName).where(inChannel(channel)).executeTakeFirst();
}
