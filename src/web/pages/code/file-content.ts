import { findProject } from '../../../access/lookup.ts';
import { ApiError } from '../../../core/core.errors.ts';
import { NOWHERE, renderText } from '../../../references/render-text.ts';
import type { PageContext } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import { apiPathOf } from '../project-frame.ts';

/** What is shown of files: bytes and lines. */
const MAX = { bytes: 512 * 1024, lines: 10_000 };
/** Characters in which a binary file has a NUL. */
const SAMPLE = 8_000;
const MARKDOWN = /\.(?:md|markdown|mdown|mkdn?)$/i;
const IMAGES: Readonly<Record<string, string>> = {
  avif: 'image/avif',
  bmp: 'image/bmp',
  gif: 'image/gif',
  ico: 'image/x-icon',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};

/** A file as a page shows it. */
export interface FileContent {
  blobId: string;
  size: number;
  lastCommit: string;
  /** Why there is no text: the file is too large, or binary. */
  kind: 'text' | 'image' | 'binary' | 'large';
  /** Empty unless it is a text. */
  text: string;
  /** Address with the content of an image. */
  image: string;
}

/** Whether a file of this name is rendered. */
export const isMarkdown = (path: string): boolean => MARKDOWN.test(path);

/**
 * Reads a file for a page, no more of it than is shown.
 * @throws ApiRefusal if there is none, or the user may not see it
 */
export async function readContent({ api, params }: PageContext, ref: string, path: string): Promise<FileContent> {
  const address = `${apiPathOf(params.project!)}/repository/files/${encodeURIComponent(path)}`;
  const headers = await api.headers(address, { ref });
  const facts = {
    blobId: String(headers['x-svc-blob-id']),
    size: Number(headers['x-svc-size']),
    lastCommit: String(headers['x-svc-last-commit-id']),
    text: '',
    image: '',
  };
  if (facts.size > MAX.bytes) return { ...facts, kind: 'large' };
  const commit = String(headers['x-svc-commit-id']);
  const type = IMAGES[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  if (type !== undefined) {
    const { content } = await api.get<{ content: string }>(address, { ref: commit });
    // As part of the page it also shows to those who are signed in, and no script of an image runs.
    return { ...facts, kind: 'image', image: `data:${type};base64,${content}` };
  }
  const text = await api.text(`${address}/raw`, { ref: commit });
  if (text.slice(0, SAMPLE).includes('\0')) return { ...facts, kind: 'binary' };
  return countLines(text) > MAX.lines ? { ...facts, kind: 'large' } : { ...facts, kind: 'text', text };
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= MAX.lines; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** Markdown of a file as HTML; as it is where it is too long or complex, or no Markdown. */
export async function renderFile(c: PageContext, ref: string, path: string, text: string): Promise<Html> {
  const asItIs = html`<pre dir="auto">${text}</pre>`;
  if (!isMarkdown(path)) return asItIs;
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const home = (await findProject(c.deps, c.params.project!)) ?? NOWHERE;
  try {
    return trusted(await renderText(c.deps, c.caller, home, text, { file: { ref, folder } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return asItIs;
    throw error;
  }
}
