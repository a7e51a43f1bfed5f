import { type Page, type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { html, type Part } from '../../core/template.ts';
import { type ChangedFile, fileDiffs } from '../diffs/file-diffs.ts';
import { moment, pageOf, pagination } from '../parts.ts';
import { apiPathOf, projectFrame, projectOf } from '../project-frame.ts';
import { type CommitFacts, commitLink, commitRows } from './commit-parts.ts';
import { pathOfSide } from './diff-sides.ts';
import { breadcrumbs } from './file-parts.ts';
import { pageRefOf, placePath } from './page-ref.ts';

const COMMITS = 40;
const FILES = 20;
const ID = /^[0-9a-f]{7,64}$/i;

async function commitsPage(c: PageContext): Promise<Page> {
  const project = await projectOf(c);
  const place = await pageRefOf(c, project, c.params.rest!);
  const { ref, path } = place;
  const list = await c.api.list<CommitFacts>(`${apiPathOf(String(project.id))}/repository/commits`, {
    ...{ ref_name: ref, path: path || undefined, per_page: COMMITS },
    page: pageOf(c),
  });
  const body = html`<h1>Commits</h1>${path === '' ? html`<p class="quiet">${ref}</p>` : html`${breadcrumbs(c, project, place)}<p class="quiet">${ref}</p>`}
${commitRows(c, project, list.rows)}${pagination(c, placePath(project, 'commits', ref, path), list)}`;
  return { title: `Commits of ${ref} · ${project.name}`, body, ...projectFrame(project, 'commits') };
}

async function commitPage(c: PageContext): Promise<Page> {
  const { sha } = c.params as { sha: string };
  if (!ID.test(sha)) throw new PageNotFound();
  const project = await projectOf(c);
  const path = `${apiPathOf(String(project.id))}/repository/commits/${sha}`;
  const [commit, diffs] = await Promise.all([
    c.api.get<CommitFacts & { stats: { additions: number; deletions: number } }>(path),
    c.api.list<ChangedFile>(`${path}/diff`, { per_page: FILES, page: pageOf(c) }),
  ]);
  const { id, title, message, parent_ids: parents, stats } = commit;
  const rest = message.slice(title.length).trim();
  const files = await fileDiffs(c, diffs.rows, {
    ...{ view: 'inline', isAlone: false },
    filePath: pathOfSide(project, { before: parents[0] ?? null, after: id }),
  });
  const body = html`<h1>${title || 'Commit'}</h1>${rest === '' ? null : html`<pre class="text">${rest}</pre>`}
<p>${commit.author_name} authored it ${moment(commit.authored_date)}${committerOf(commit)}</p>
<p>Commit <span class="mono">${id}</span> · ${parents.length === 0 ? 'no parents' : html`${parents.length === 1 ? 'parent' : 'parents'} ${parents.map((parent) => html`${commitLink(c, project, parent)} `)}`}
· <a href="${c.at(placePath(project, 'tree', id, ''))}">Browse files</a></p>
<p class="quiet">${filesText(diffs.total)}${stats.additions} added and ${stats.deletions} deleted lines</p>
${files}${pagination(c, `/${project.path_with_namespace}/-/commit/${id}`, diffs)}`;
  return { title: `${title || id.slice(0, 8)} · ${project.name}`, body, ...projectFrame(project, 'commits') };
}

const filesText = (total: number | null): string =>
  total === null ? '' : `${total} ${total === 1 ? 'file' : 'files'} · `;

const committerOf = ({ author_name, committer_name, committed_date }: CommitFacts): Part =>
  author_name === committer_name ? null : html`, ${committer_name} committed it ${moment(committed_date)}`;

/** Histories, and single commits. */
export const commitPages: readonly PageRoute[] = [
  { method: 'GET', path: 'commits/*rest', handle: commitsPage },
  { method: 'GET', path: 'commit/:sha', handle: commitPage },
];
