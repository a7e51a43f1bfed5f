import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiRefusal } from '../../core/api-client.ts';
import { type Page, type PageContext, PageNotFound, type PageRoute, type Redirect } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import { highlightLines } from '../../highlight/index.ts';
import { type ProjectFacts, projectFrame, projectOf } from '../project-frame.ts';
import { type FileContent, isMarkdown, readContent, renderFile } from './file-content.ts';
import { breadcrumbs, folderList, folderOf, readmeOf } from './file-parts.ts';
import { type PageRef, pageRefOf, placePath } from './page-ref.ts';

const KIB = 1024;
/** Lines that are written in one turn. */
const BLOCK = 1_000;

/** A number of bytes for people. */
function sizeText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  return bytes < KIB * KIB ? `${(bytes / KIB).toFixed(1)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

/** Lines of HTML with their numbers, which are links to them. */
async function numberedLines(lines: readonly string[]): Promise<Html> {
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const blocks: string[] = [];
  for (let from = 0; from < count; from += BLOCK) {
    const rows = lines.slice(from, Math.min(from + BLOCK, count)).map((line, index) => {
      const number = from + index + 1;
      return `<tr id="L${number}"><td class="number"><a href="#L${number}">${number}</a></td><td>${line}</td></tr>`;
    });
    blocks.push(rows.join('\n'));
    await nextTurn();
  }
  return html`<table class="code"><tbody>${trusted(blocks.join('\n'))}</tbody></table>`;
}

async function contentOf(
  c: PageContext,
  project: ProjectFacts,
  { ref, path }: PageRef,
  file: FileContent,
): Promise<Html> {
  if (file.kind === 'text') {
    if (isMarkdown(path) && c.query('plain') !== '1')
      return html`<div class="in text">${await renderFile(c, ref, path, file.text)}</div>`;
    return numberedLines(await highlightLines(file.blobId, file.text, { path }));
  }
  if (file.kind === 'image') return html`<div class="in text"><img src="${file.image}" alt="${path}"></div>`;
  const raw = html`<a href="${c.at(placePath(project, 'raw', ref, path))}">Download it</a>`;
  return html`<p class="in">${file.kind === 'binary' ? 'This file is binary.' : 'This file is too large to be shown.'} ${raw}</p>`;
}

function ifMissing(error: unknown): null {
  if (error instanceof ApiRefusal && error.status === 404) return null;
  throw error;
}

async function filePage(c: PageContext): Promise<Page | Redirect> {
  const project = await projectOf(c);
  const place = await pageRefOf(c, project, c.params.rest!);
  const { ref, path } = place;
  const folder = { redirect: placePath(project, 'tree', ref, path) };
  if (path === '') return folder;
  const file = await readContent(c, ref, path).catch(ifMissing);
  if (file === null) {
    // Links of Markdown do not tell folders from files.
    if ((await folderOf(c, ref, path)) === null) throw new PageNotFound();
    return folder;
  }
  const to = (kind: 'raw' | 'blame' | 'commits') => c.at(placePath(project, kind, ref, path));
  const own = c.at(placePath(project, 'blob', ref, path));
  const isSource = c.query('plain') === '1';
  const name = path.slice(path.lastIndexOf('/') + 1);
  const body = html`<h1>${name}</h1>${breadcrumbs(c, project, place)}
<p class="quiet">${ref} · ${sizeText(file.size)}</p>
<section class="box" aria-label="Content"><header>${
    file.kind === 'text' && isMarkdown(path)
      ? html`<a href="${isSource ? own : `${own}?plain=1`}">${isSource ? 'Rendered' : 'Source'}</a>`
      : null
  }<a href="${to('raw')}">Raw</a>${file.kind === 'text' ? html`<a href="${to('blame')}">Blame</a>` : null}<a href="${to('commits')}">History</a></header>
${await contentOf(c, project, place, file)}</section>`;
  return { title: `${path} · ${project.name}`, body, ...projectFrame(project, 'files') };
}

async function folderPage(c: PageContext): Promise<Page> {
  const project = await projectOf(c);
  const place = await pageRefOf(c, project, c.params.rest!);
  const { ref, path } = place;
  const folder = await folderOf(c, ref, path);
  if (folder === null) throw new PageNotFound();
  const body = html`<h1>${path === '' ? `Files of ${ref}` : path.slice(path.lastIndexOf('/') + 1)}</h1>${breadcrumbs(c, project, place)}
<p class="quiet">${ref} · <a href="${c.at(placePath(project, 'commits', ref, path))}">History</a></p>
${folderList(c, project, place, folder)}${await readmeOf(c, project, place, folder)}`;
  return { title: `${path === '' ? ref : path} · ${project.name}`, body, ...projectFrame(project, 'files') };
}

/** Folders and files of a repository. */
export const filePages: readonly PageRoute[] = [
  { method: 'GET', path: 'tree/*rest', handle: folderPage },
  { method: 'GET', path: 'blob/*rest', handle: filePage },
];
