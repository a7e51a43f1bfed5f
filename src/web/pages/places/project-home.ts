import type { Page, PageContext } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import { folderList, folderOf, readmeOf } from '../code/file-parts.ts';
import { commitOf, placePath } from '../code/page-ref.ts';
import { apiPathOf, type ProjectFacts, projectFrame, projectPath } from '../project-frame.ts';

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

function facts({ at }: PageContext, project: ProjectFacts): Html {
  const { description, visibility, topics, archived } = project;
  return html`${description ? html`<p>${description}</p>` : null}
<p><span class="label">${visibility}</span> ${archived ? html`<span class="state warn">Archived</span> ` : null}<span class="quiet">${count(
    project.star_count,
    'star',
    'stars',
  )} · ${count(project.forks_count, 'fork', 'forks')}</span>
${topics.map((topic) => html` <span class="label">${topic}</span>`)}</p>${
    project.default_branch === undefined || project.empty_repo === true
      ? null
      : html`<p><a href="${at(projectPath(project, 'branches'))}">Branches</a> · <a href="${at(projectPath(project, 'tags'))}">Tags</a></p>`
  }`;
}

const cloneFields = ({ http_url_to_repo: http, ssh_url_to_repo: ssh }: ProjectFacts): Html =>
  html`<section aria-label="Clone"><h2>Clone</h2>
<label for="clone-http">HTTP</label><input id="clone-http" class="mono" readonly value="${http}">
<label for="clone-ssh">SSH</label><input id="clone-ssh" class="mono" readonly value="${ssh}"></section>`;

const howToPush = ({ http_url_to_repo: url, default_branch: branch }: ProjectFacts): Html =>
  html`<h2>This repository is empty</h2><p>Push what you have:</p>
<pre class="box"><code class="in">git init --initial-branch=${branch ?? 'main'}
git remote add origin ${url}
git add .
git commit -m "First commit"
git push --set-upstream origin ${branch ?? 'main'}</code></pre>`;

async function languagesOf({ api }: PageContext, project: ProjectFacts): Promise<Part> {
  const languages = Object.entries(
    (await api.find<Record<string, number>>(`${apiPathOf(String(project.id))}/languages`)) ?? {},
  );
  if (languages.length === 0) return null;
  return html`<section aria-label="Languages"><h2>Languages</h2><ul class="rows">${languages.map(
    ([name, share]) => html`<li>${name} <span class="quiet">${share} %</span></li>`,
  )}</ul></section>`;
}

/** The files of the default branch, and its README. */
async function codeOf(c: PageContext, project: ProjectFacts): Promise<Html> {
  const ref = project.default_branch ?? '';
  const [commit, folder] = await Promise.all([commitOf(c.api, project.path_with_namespace, ref), folderOf(c, ref, '')]);
  if (commit === null || folder === null) return howToPush(project);
  const place = { ref, sha: commit.id, path: '' };
  return html`<h2>Files of <a href="${c.at(placePath(project, 'tree', ref, ''))}">${ref}</a></h2>
${folderList(c, project, place, folder)}${await readmeOf(c, project, place, folder)}`;
}

/** The page of a project. @param project as the API answers it to the user */
export async function projectHome(c: PageContext, project: ProjectFacts): Promise<Page> {
  const own = { ...c, params: { ...c.params, project: project.path_with_namespace } };
  const readsCode = project.default_branch !== undefined;
  const [code, languages] = readsCode
    ? await Promise.all([codeOf(own, project), languagesOf(own, project)])
    : [null, null];
  const body = html`<h1>${project.name}</h1>${facts(c, project)}
${readsCode ? html`<div class="columns"><div>${code}</div><div>${cloneFields(project)}${languages}</div></div>` : null}`;
  return { title: project.name, body, ...projectFrame(project, 'files') };
}
