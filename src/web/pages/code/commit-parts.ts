import type { PageContext } from '../../core/page.ts';
import { type Html, html } from '../../core/template.ts';
import { moment } from '../parts.ts';
import { type ProjectFacts, projectPath } from '../project-frame.ts';

/** A commit as the API answers it. */
export interface CommitFacts {
  id: string;
  short_id: string;
  title: string;
  message: string;
  parent_ids: string[];
  author_name: string;
  authored_date: string;
  committer_name: string;
  committed_date: string;
}

/** The short id of a commit, which leads to its page. */
export const commitLink = ({ at }: PageContext, project: ProjectFacts, id: string): Html =>
  html`<a class="mono" href="${at(projectPath(project, `commit/${id}`))}">${id.slice(0, 8)}</a>`;

/** Commits with title, author, date and id. */
export const commitRows = (c: PageContext, project: ProjectFacts, commits: readonly CommitFacts[]): Html =>
  commits.length === 0
    ? html`<p class="quiet">There are no commits.</p>`
    : html`<ul class="rows">${commits.map(
        (
          commit,
        ) => html`<li><a class="title" href="${c.at(projectPath(project, `commit/${commit.id}`))}">${commit.title || '(no message)'}</a>
<br><span class="quiet">${commit.author_name} · ${moment(commit.authored_date)} · ${commitLink(c, project, commit.id)}</span></li>`,
      )}</ul>`;
