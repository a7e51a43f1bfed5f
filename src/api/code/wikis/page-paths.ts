import { posix } from 'node:path';
import { invalidModel } from '../../../core/core.errors.ts';

/** Formats that pages are made in, with the ending of their files. */
const EXTENSIONS = { markdown: 'md', rdoc: 'rdoc', asciidoc: 'asciidoc', org: 'org' } as const;
export type WikiFormat = keyof typeof EXTENSIONS;
export const WIKI_FORMATS = Object.keys(EXTENSIONS) as WikiFormat[];

/** Formats of the files that are pages, by their endings; some come by pushes alone. */
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
/** Of a whole path, with its ending: longer ones are no pages. */
const MAX_PATH_BYTES = 2_000;

/** What the path of a file in a wiki says of the page that it holds. */
export interface PagePath {
  slug: string;
  title: string;
  format: string;
}

/** The page whose file lies at a path; null for a file that is no page, or whose name is no text. */
export function pageAt(path: string): PagePath | null {
  const extension = posix.extname(path);
  const format = FORMATS[extension.slice(1).toLowerCase()];
  if (format === undefined || !path.isWellFormed() || Buffer.byteLength(path) > MAX_PATH_BYTES) return null;
  const slug = path.slice(0, path.length - extension.length);
  return { slug, title: posix.basename(slug).replaceAll('-', ' '), format };
}

/** What a slug without its hyphens is: two that differ in these alone are one page. */
export const unhyphenated = (slug: string): string => slug.replace(/-+/g, ' ');

/** Blanks at the ends of each part go, others become one space. */
const squish = (title: string): string =>
  title
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .join('/');

/**
 * The slug of a page with a title, folders before it: `Guides/First steps` is `Guides/First-steps`. Nothing in it leads out
 * of the wiki.
 * @throws ApiError 400 for a title that is blank, too long, or no name of a file
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
 * The slug of a page that is renamed: a title without folders stays in the folder of the page, one with a leading slash
 * goes to the root of the wiki.
 * @throws ApiError 400
 */
export function renamedSlug(slug: string, title: string): string {
  const folder = posix.dirname(slug);
  return slugOf(title.includes('/') || folder === '.' ? title : `${folder}/${title}`);
}

/** The path of the file of a page. */
export const fileOf = (slug: string, format: WikiFormat): string => `${slug}.${EXTENSIONS[format]}`;

const isFormat = (format: string): format is WikiFormat => (WIKI_FORMATS as readonly string[]).includes(format);

/** The path of the file of a page that gets a slug and a format: it keeps the ending that it has while its format stays. */
export function pathFor(page: PagePath & { path: string }, slug: string, format: WikiFormat | undefined): string {
  const same = format === undefined || format === page.format || !isFormat(format);
  return same ? `${slug}${page.path.slice(page.slug.length)}` : fileOf(slug, format);
}
