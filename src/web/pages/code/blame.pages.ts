import { type Page, type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import { highlightLines } from '../../highlight/index.ts';
import { moment } from '../parts.ts';
import { apiPathOf, type ProjectFacts, projectFrame, projectOf, projectPath } from '../project-frame.ts';
import { readContent } from './file-content.ts';
import { breadcrumbs } from './file-parts.ts';
import { pageRefOf, placePath } from './page-ref.ts';

/** Lines of a page. */
const LINES = 1_000;

interface BlameRange {
  commit: { id: string; message: string; author_name: string; authored_date: string };
  lines: string[];
}

/** A row for each line; the first one of a range names its commit. */
function rangeRows(
  c: PageContext,
  project: ProjectFacts,
  { commit, lines }: BlameRange,
  first: number,
  shown: readonly string[],
): Html[] {
  const title = commit.message.split('\n', 1)[0] || '(no message)';
  return lines.map((_, index) => {
    const number = first + index;
    const origin =
      index > 0
        ? null
        : html`<a href="${c.at(projectPath(project, `commit/${commit.id}`))}" title="${title}">${commit.id.slice(0, 8)}</a> <span class="quiet">${commit.author_name} ${moment(commit.authored_date)}</span>`;
    return html`<tr id="L${number}"><td>${origin}</td><td class="number"><a href="#L${number}">${number}</a></td><td>${trusted(shown[number - 1] ?? '')}</td></tr>`;
  });
}

async function blamePage(c: PageContext): Promise<Page> {
  const project = await projectOf(c);
  const place = await pageRefOf(c, project, c.params.rest!);
  const { ref, path, sha } = place;
  if (path === '') throw new PageNotFound();
  const file = await readContent(c, sha, path);
  const heading = html`<h1>Blame of ${path.slice(path.lastIndexOf('/') + 1)}</h1>${breadcrumbs(c, project, place)}
<p><a href="${c.at(placePath(project, 'blob', ref, path))}">View file</a> · <a href="${c.at(placePath(project, 'commits', ref, path))}">History</a></p>`;
  const frame = { title: `Blame of ${path} · ${project.name}`, ...projectFrame(project, 'files') };
  if (file.kind !== 'text' || file.text === '')
    return { ...frame, body: html`${heading}<p class="notice">This file has no lines to be shown.</p>` };
  const lines = await highlightLines(file.blobId, file.text, { path });
  const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const start = startOf(c, count);
  const end = Math.min(start + LINES - 1, count);
  const ranges = await c.api.get<BlameRange[]>(
    `${apiPathOf(String(project.id))}/repository/files/${encodeURIComponent(path)}/blame`,
    { ref: sha, 'range[start]': start, 'range[end]': end },
  );
  let next = start;
  const rows = ranges.map((range) => {
    const part = rangeRows(c, project, range, next, lines);
    next += range.lines.length;
    return part;
  });
  const own = c.at(placePath(project, 'blame', ref, path));
  const more = html`<nav class="actions" aria-label="Pages">${start > 1 ? html`<a class="button" href="${own}?from=${Math.max(1, start - LINES)}">Lines before</a>` : null}${
    end < count ? html`<a class="button" href="${own}?from=${end + 1}">Further lines</a>` : null
  }</nav>`;
  return {
    ...frame,
    body: html`${heading}<div class="box"><table class="code"><tbody>${rows}</tbody></table></div>${start > 1 || end < count ? more : null}`,
  };
}

/** The line that the page begins with. */
function startOf({ query }: PageContext, count: number): number {
  const sent = query('from') ?? '1';
  return /^[1-9]\d{0,6}$/.test(sent) && Number(sent) <= count ? Number(sent) : 1;
}

/** Which commit each line of a file comes from. */
export const blamePages: readonly PageRoute[] = [{ method: 'GET', path: 'blame/*rest', handle: blamePage }];
