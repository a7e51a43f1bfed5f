import { encodePath } from '../../../core/core.paths.ts';
import { type Page, type PageContext, PageNotFound, type PageRoute } from '../../core/page.ts';
import { html } from '../../core/template.ts';
import { type ChangedFile, fileDiffs } from '../diffs/file-diffs.ts';
import { pageOf, pagination } from '../parts.ts';
import { apiPathOf, projectFrame, projectOf, projectPath } from '../project-frame.ts';
import { type CommitFacts, commitRows } from './commit-parts.ts';
import { pathOfSide } from './diff-sides.ts';
import { commitOf } from './page-ref.ts';

const COMMITS = 100;
const FILES = 20;

interface Comparison {
  commits: CommitFacts[];
  diffs: ChangedFile[];
  compare_timeout: boolean;
}

async function comparePage(c: PageContext): Promise<Page> {
  const [, from, dots, to] = /^(.+?)(\.{2,3})(.+)$/.exec(c.params.rest!) ?? [];
  if (from === undefined || dots === undefined || to === undefined) throw new PageNotFound();
  const project = await projectOf(c);
  const [compared, before, after] = await Promise.all([
    c.api.get<Comparison>(`${apiPathOf(String(project.id))}/repository/compare`, { from, to, straight: dots === '..' }),
    commitOf(c.api, String(project.id), from),
    commitOf(c.api, String(project.id), to),
  ]);
  const page = pageOf(c);
  const first = (page - 1) * FILES;
  const rows = compared.diffs.slice(first, first + FILES);
  const list = { rows, page, total: compared.diffs.length, hasNext: first + FILES < compared.diffs.length };
  const files = await fileDiffs(c, rows, {
    ...{ view: 'inline', isAlone: false },
    filePath: pathOfSide(project, { before: before?.id ?? null, after: after?.id ?? to }),
  });
  // The newest ones first, as in other lists.
  const commits = compared.commits.slice(-COMMITS).reverse();
  const address = projectPath(project, `compare/${encodePath(from)}${dots}${encodePath(to)}`);
  const body = html`<h1>Compare ${from} with ${to}</h1>
${compared.compare_timeout ? html`<p class="notice">There is more than is shown here.</p>` : null}
<h2>Commits</h2>${page === 1 ? commitRows(c, project, commits) : null}
${compared.commits.length > commits.length ? html`<p class="quiet">And ${compared.commits.length - commits.length} older ones.</p>` : null}
<h2>Changed files: ${compared.diffs.length}</h2>${files}${pagination(c, address, list)}`;
  return { title: `${from}${dots}${to} · ${project.name}`, body, ...projectFrame(project, 'commits') };
}

/** What one commit has and another has not. */
export const comparePages: readonly PageRoute[] = [{ method: 'GET', path: 'compare/*rest', handle: comparePage }];
