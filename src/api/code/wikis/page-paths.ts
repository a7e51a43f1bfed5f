import { posix } from 'node:path';
import { invalidModel } from '../../../core/core.errors.ts';

/** Formats of pages that can be created through the API, with file extensions. */
const EXTENSIONS = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' } as const;
export type WikiFormat = keyof typeof EXTENSIONS;
export const WIKI_FORMATS = Object.keys(EXTENSIONS) as WikiFormat[];

/** Formats of pages by file extension; some can only be pushed. */
const FORMATS: Readonly<Record<string, string>> = {
  md: 'markdown',
  mkd: 'markdown',
  mkdn: 'markdown',
  mdown: 'markdown',
  markdown: 'markdown',
  rdoc: 'rdoc',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
  textile: 'textile',
  creole: 'creole',
  rst: 'rest',
  rest: 'rest',
  mediawiki: 'mediawiki',
  wiki: 'mediawiki',
  pod: 'pod',
  txt: 'plaintext',
};

const MAX_TITLE_BYTES = 245;
const MAX_FOLDER_BYTES = 255;
/** Maximum length of a path with its extension; files with longer paths are not pages. */
const MAX_PATH_BYTES = 2_000;

/** Properties of a page that follow from the path of its file. */
export interface PagePath {
  slug: string;
  title: string;
  format: string;
}

/** Returns the page of a file path; null if the file is not a page, or its name is not valid UTF-8. */
export function pageAt(path: string): PagePath | null {
  const extension = posix.extname(path);
  const format = FORMATS[extension.slice(1).toLowerCase()];
  if (format === undefined || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES) return null;
  const slug = path.slice(0, path.length - extension.length);
  return { slug, title: posix.basename(slug).replaceAll('-', ' '), format };
}

/** Replaces hyphens in a slug by spaces: slugs that differ in these only name the same page. */
export const unhyphenated = (slug: string): string => slug.replace(/-+/g, ' ');

/** Trims each part and collapses whitespace. */
const squish = (title: string): string =>
  title
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .join('/');

/**
 * Converts a title to a slug, with its folders: `Guides/First steps` becomes `Guides/First-steps`. The slug cannot
 * leave the wiki.
 * @throws ApiError 400 for a title that is blank, too long, or no valid file name
 */
export function slugOf(title: string): string {
  const whole = squish(title);
  const slug = posix.resolve('/', whole).slice(1).replaceAll(' ', '-');
  if (slug === '') throw invalidModel({ title: ["can't be blank"] });
  const unfit = slug.includes('\0') || !slug.isWellFormed() || /[\u0000-\u001f\u007f]/.test(slug);
  if (unfit) throw invalidModel({ title: ['must not contain control characters'] });
  const errors = tooLong(slug.split('/'));
  if (errors.length > 0) throw invalidModel({ title: errors });
  return slug;
}

function tooLong(parts: string[]): string[] {
  const folders = parts.slice(0, -1);
  const errors: string[] = [];
  if (Buffer.byteLength(parts.at(-1)!) > MAX_TITLE_BYTES) errors.push(`exceeds the limit of ${MAX_TITLE_BYTES} bytes`);
  for (const folder of folders) {
    if (Buffer.byteLength(folder) <= MAX_FOLDER_BYTES) continue;
    errors.push(`exceeds the limit of ${MAX_FOLDER_BYTES} bytes for directory name "${folder}"`);
  }
  if (errors.length === 0 && Buffer.byteLength(parts.join('/')) + 10 > MAX_PATH_BYTES) {
    errors.push(`exceeds the limit of ${MAX_PATH_BYTES - 10} bytes with its directories`);
  }
  return errors;
}

/**
 * Returns the slug of a renamed page: a title without folders keeps the folder of the page, a title with a leading
 * slash moves it to the root of the wiki.
 * @throws ApiError 400
 */
export function renamedSlug(slug: string, title: string): string {
  const folder = posix.dirname(slug);
  return slugOf(title.includes('/') || folder === '.' ? title : `${folder}/${title}`);
}

/** Returns the path of the file of a page. */
export const fileOf = (slug: string, format: WikiFormat): string => `${slug}.${EXTENSIONS[format]}`;

const isFormat = (format: string): format is WikiFormat => (WIKI_FORMATS as readonly string[]).includes(format);

/** Returns the path of the file of a page with a new slug and format; the extension is kept if the format is. */
export function pathFor(page: PagePath & { path: string }, slug: string, format: WikiFormat | undefined): string {
  const same = format === undefined || format === page.format || !isFormat(format);
  return same ? `${slug}${page.path.slice(page.slug.length)}` : fileOf(slug, format);
}
