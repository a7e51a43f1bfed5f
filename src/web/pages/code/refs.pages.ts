import { encodePath } from '../../../core/core.paths.ts';
import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { moment, pageOf, pagination } from '../parts.ts';
import { apiPathOf, type ProjectFacts, projectFrame, projectOf, projectPath } from '../project-frame.ts';
import { type CommitFacts, commitLink } from './commit-parts.ts';
import { placePath } from './page-ref.ts';

const SIZE = 40;

interface RefFacts {
  name: string;
  message?: string | null;
  commit: CommitFacts | null;
  protected: boolean;
  default?: boolean;
  merged?: boolean;
}

function refRow(c: PageContext, project: ProjectFacts, ref: RefFacts): Html {
  const branch = project.default_branch;
  const compared: Part =
    ref.default === undefined || ref.default || !branch
      ? null
      : html` · <a href="${c.at(projectPath(project, `compare/${encodePath(branch)}...${encodePath(ref.name)}`))}">Compare</a>`;
  return html`<li><a class="title" href="${c.at(placePath(project, 'tree', ref.name, ''))}">${ref.name}</a>${
    ref.default ? html` <span class="state">Default</span>` : null
  }${ref.protected ? html` <span class="state">Protected</span>` : null}${ref.merged ? html` <span class="state good">Merged</span>` : null}
${ref.message ? html`<br>${ref.message}` : null}
<br><span class="quiet">${
    ref.commit === null
      ? null
      : html`${commitLink(c, project, ref.commit.id)} ${ref.commit.title} · ${moment(ref.commit.committed_date)} · <a href="${c.at(placePath(project, 'commits', ref.name, ''))}">Commits</a>`
  }${compared}</span></li>`;
}

/** The list of all branches, or of all tags. */
const refsPage = (kind: 'branches' | 'tags', title: string): PageRoute => ({
  method: 'GET',
  path: kind,
  handle: async (c): Promise<Page> => {
    const project = await projectOf(c);
    const list = await c.api.list<RefFacts>(`${apiPathOf(String(project.id))}/repository/${kind}`, {
      ...{ per_page: SIZE, page: pageOf(c) },
    });
    const body = html`<h1>${title}</h1>${
      list.rows.length === 0
        ? html`<p class="quiet">There are none.</p>`
        : html`<ul class="rows">${list.rows.map((ref) => refRow(c, project, ref))}</ul>`
    }${pagination(c, projectPath(project, kind), list)}`;
    return { title: `${title} · ${project.name}`, body, ...projectFrame(project, 'files') };
  },
});

/** Branches and tags. */
export const refPages: readonly PageRoute[] = [refsPage('branches', 'Branches'), refsPage('tags', 'Tags')];
