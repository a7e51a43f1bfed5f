import { escapeHtml } from '../../../core/html.ts';

/** Media types of the pages; the first is the default (PEP 691). */
export const SIMPLE_TYPES = [
  'text/html',
  'application/vnd.pypi.simple.v1+json',
  'application/vnd.pypi.simple.v1+html',
  'application/vnd.pypi.simple.latest+json',
  'application/vnd.pypi.simple.latest+html',
] as const;
export type SimpleType = (typeof SIMPLE_TYPES)[number];

export const isJson = (type: SimpleType): boolean => type.endsWith('json');

/** The `Content-Type` of a page. */
export const contentTypeOf = (type: SimpleType): string =>
  isJson(type) ? 'application/vnd.pypi.simple.v1+json' : `${type.replace('latest', 'v1')}; charset=utf-8`;

/** A name in the index. */
export interface IndexedName {
  name: string;
  nameKey: string;
}

/** A file on the page of a name. */
export interface LinkedFile {
  fileName: string;
  url: string;
  sha256: string;
  /** Size in bytes. */
  size: number;
  requiresPython: string;
  /** SHA-256 of its metadata, which can be downloaded separately; undefined if there are none. */
  metadataSha256: string | undefined;
  version: string;
  /** ISO 8601. */
  uploadedAt: string;
}

const META = { 'api-version': '1.1' };

const page = (title: string, links: readonly string[]): string => {
  const text = escapeHtml(`Links for ${title}`);
  return `<!DOCTYPE html>
<html>
  <head>
    <meta name="pypi:repository-version" content="1.1">
    <title>${text}</title>
  </head>
  <body>
    <h1>${text}</h1>
${links.map((link) => `    ${link}<br>\n`).join('')}  </body>
</html>
`;
};

/** Renders the page of all names (PEP 503, PEP 691). @param base URL of the index, without a trailing slash */
export function indexPage(title: string, names: readonly IndexedName[], base: string, json: boolean): string {
  if (json) return JSON.stringify({ meta: META, projects: names.map(({ name }) => ({ name })) });
  const links = names.map(
    ({ name, nameKey }) => `<a href="${escapeHtml(`${base}/${nameKey}/`)}">${escapeHtml(name)}</a>`,
  );
  return page(title, links);
}

/** Renders the page with the files of a name (PEP 503, PEP 691, PEP 700, PEP 714). @param nameKey normalized name */
export function namePage(
  { name, nameKey }: IndexedName,
  files: readonly LinkedFile[],
  versions: readonly string[],
  json: boolean,
): string {
  if (json) {
    return JSON.stringify({ meta: META, name: nameKey, versions, files: files.map(presentFile) });
  }
  const links = files.map(
    ({ url, sha256, requiresPython, metadataSha256, fileName }) =>
      `<a href="${escapeHtml(`${url}#sha256=${sha256}`)}" data-requires-python="${escapeHtml(requiresPython)}"${metadataAttributes(metadataSha256)}>${escapeHtml(fileName)}</a>`,
  );
  return page(name, links);
}

/** Both attribute names: pip before 23.3 knows the older one only (PEP 714). */
const metadataAttributes = (sha256: string | undefined): string =>
  sha256 === undefined
    ? ''
    : ['data-core-metadata', 'data-dist-info-metadata'].map((name) => ` ${name}="sha256=${sha256}"`).join('');

const presentFile = ({ fileName, url, sha256, size, requiresPython, metadataSha256, uploadedAt }: LinkedFile) => ({
  filename: fileName,
  url,
  hashes: { sha256 },
  ...(requiresPython === '' ? {} : { 'requires-python': requiresPython }),
  size,
  'upload-time': uploadedAt,
  yanked: false,
  'core-metadata': metadataSha256 === undefined ? false : { sha256: metadataSha256 },
  ...(metadataSha256 === undefined ? {} : { 'dist-info-metadata': { sha256: metadataSha256 } }),
});
