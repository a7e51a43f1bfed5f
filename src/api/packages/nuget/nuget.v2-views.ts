import { escapeHtml } from '../../../core/html.ts';
import type { Package } from '../../../db/tables/packages.table.ts';
import { presentVersion } from './nuget.views.ts';

const HEAD = '<?xml version="1.0" encoding="utf-8"?>\n';
const ATOM = 'http://www.w3.org/2005/Atom';
const DATA = 'http://schemas.microsoft.com/ado/2007/08/dataservices';
const SPACES = `xmlns="${ATOM}" xmlns:d="${DATA}" xmlns:m="${DATA}/metadata"`;
const SCHEME = `${DATA}/scheme`;
/** Characters that XML documents cannot contain. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const xml = (text: string): string => escapeHtml(text.replace(FORBIDDEN, ''));

/** Services of a version 2 source. @param base its URL */
export const presentV2Service = (base: string): string =>
  `${HEAD}<service xmlns="http://www.w3.org/2007/app" xmlns:atom="${ATOM}" xml:base="${xml(base)}"><workspace><atom:title type="text">Default</atom:title><collection href="Packages"><atom:title type="text">Packages</atom:title></collection></workspace></service>`;

const TEXTS = ['Id', 'Version', 'NormalizedVersion', 'Title', 'Authors', 'Description', 'Summary', 'Tags'];
const MORE_TEXTS = ['Dependencies', 'ProjectUrl', 'LicenseUrl', 'IconUrl'];
const FLAGS = ['IsPrerelease', 'IsLatestVersion', 'IsAbsoluteLatestVersion'];
const property = (type: string) => (name: string) =>
  `<Property Name="${name}" Type="Edm.${type}"${name === 'Id' || name === 'Version' ? ' Nullable="false"' : ''}/>`;
const TYPES = [
  ...[...TEXTS, ...MORE_TEXTS].map(property('String')),
  ...FLAGS.map(property('Boolean')),
  ...['Created', 'Published'].map(property('DateTime')),
].join('');
const importOf = (name: string, parameters: Record<string, string>) =>
  `<FunctionImport Name="${name}" ReturnType="Collection(NuGetGallery.V2FeedPackage)" EntitySet="Packages" m:HttpMethod="GET">${Object.entries(
    parameters,
  )
    .map(([parameter, type]) => `<Parameter Name="${parameter}" Type="Edm.${type}"/>`)
    .join('')}</FunctionImport>`;
const FUNCTIONS = [
  importOf('FindPackagesById', { id: 'String' }),
  importOf('Search', { searchTerm: 'String', targetFramework: 'String', includePrerelease: 'Boolean' }),
].join('');

/** Description of entities and functions (EDMX). */
export const V2_METADATA = `${HEAD}<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"><edmx:DataServices m:DataServiceVersion="2.0" m:MaxDataServiceVersion="2.0" xmlns:m="${DATA}/metadata"><Schema Namespace="NuGetGallery" xmlns="http://schemas.microsoft.com/ado/2006/04/edm"><EntityType Name="V2FeedPackage" m:HasStream="true"><Key><PropertyRef Name="Id"/><PropertyRef Name="Version"/></Key>${TYPES}</EntityType><EntityContainer Name="V2FeedContext" m:IsDefaultEntityContainer="true"><EntitySet Name="Packages" EntityType="NuGetGallery.V2FeedPackage"/>${FUNCTIONS}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`;

/** A version, and whether it is the highest release or the highest version. */
export interface V2Version {
  row: Package;
  isLatest: boolean;
  isAbsoluteLatest: boolean;
}

type Presented = ReturnType<typeof presentVersion>['catalogEntry'];

const dependenciesOf = ({ dependencyGroups }: Presented): string =>
  dependencyGroups
    .flatMap(({ targetFramework = '', dependencies = [] }) =>
      dependencies.length === 0
        ? [`::${targetFramework}`]
        : dependencies.map(({ id, range }) => `${id}:${range}:${targetFramework}`),
    )
    .join('|');

/**
 * Renders a version as an Atom entry. @param api URL of the API @param feed path of the source @param spaces XML
 * namespaces
 */
function entry(api: string, feed: string, { row, isLatest, isAbsoluteLatest }: V2Version, spaces = ''): string {
  const { catalogEntry, packageContent } = presentVersion(api, feed, row);
  const id = `${feed}/v2/Packages(Id='${row.name}',Version='${catalogEntry.version}')`;
  const texts = {
    Id: catalogEntry.id,
    Version: catalogEntry.version,
    NormalizedVersion: row.version_key,
    Title: catalogEntry.id,
    Authors: catalogEntry.authors,
    Description: catalogEntry.description,
    Summary: catalogEntry.summary,
    Tags: catalogEntry.tags,
    Dependencies: dependenciesOf(catalogEntry),
    ProjectUrl: catalogEntry.projectUrl ?? '',
    LicenseUrl: catalogEntry.licenseUrl ?? '',
    IconUrl: catalogEntry.iconUrl ?? '',
  };
  const flags = {
    IsPrerelease: row.version_key.includes('-'),
    IsLatestVersion: isLatest,
    IsAbsoluteLatestVersion: isAbsoluteLatest,
  };
  const properties = [
    ...Object.entries(texts).map(([name, text]) => `<d:${name}>${xml(text)}</d:${name}>`),
    ...Object.entries(flags).map(([name, is]) => `<d:${name} m:type="Edm.Boolean">${is}</d:${name}>`),
    ...['Created', 'Published'].map((name) => `<d:${name} m:type="Edm.DateTime">${catalogEntry.published}</d:${name}>`),
  ].join('');
  return `<entry${spaces}><id>${xml(id)}</id><category term="NuGetGallery.V2FeedPackage" scheme="${SCHEME}"/><title type="text">${xml(catalogEntry.id)}</title><updated>${catalogEntry.published}</updated><author><name>${xml(catalogEntry.authors)}</name></author><content type="application/zip" src="${xml(packageContent)}"/><m:properties>${properties}</m:properties></entry>`;
}

/** Renders a single version. */
export const presentV2Entry = (api: string, feed: string, version: V2Version): string =>
  HEAD + entry(api, feed, version, ` ${SPACES} xml:base="${xml(`${feed}/v2`)}"`);

/** Renders a page of versions. @param page `id`: URL of the list, `next`: URL of the next page */
export function presentV2Feed(
  api: string,
  feed: string,
  versions: readonly V2Version[],
  { id, total, next }: { id: string; total: number; next?: string },
): string {
  const updated =
    versions
      .map(({ row }) => row.created_at)
      .sort()
      .at(-1) ?? new Date(0).toISOString();
  const entries = versions.map((version) => entry(api, feed, version)).join('');
  const link = next === undefined ? '' : `<link rel="next" href="${xml(next)}"/>`;
  return `${HEAD}<feed ${SPACES} xml:base="${xml(`${feed}/v2`)}"><m:count>${total}</m:count><id>${xml(id)}</id><title type="text">Packages</title><updated>${updated}</updated>${entries}${link}</feed>`;
}
