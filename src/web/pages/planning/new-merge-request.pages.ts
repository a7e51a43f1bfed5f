import { encodePath } from '../../../core/core.paths.ts';
import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, type Part } from '../../core/template.ts';
import type { ProjectFacts } from '../project-frame.ts';
import { pathOf } from './issuable-parts.ts';
import type { IssuableRow } from './planning.rows.ts';
import { attempt, lineField, type Problem, problemNotice, textField } from './planning-forms.ts';
import { type Place, placeOf } from './planning-place.ts';

/** Branches that are proposed. */
const MAX_BRANCHES = 100;

interface BranchRow {
  name: string;
  commit: { title: string };
}

interface ForkFacts extends ProjectFacts {
  forked_from_project?: ProjectFacts | null;
}

/** A field of the form as it was sent, or a parameter of the address that git prints after a push. */
function chosenOf(c: PageContext, name: string): string {
  const sent = c.field(`merge_request[${name}]`);
  if (sent !== '' || c.request.method === 'POST') return sent.replaceAll('\r\n', '\n');
  const query = (c.request.query as Record<string, unknown>).merge_request;
  const value = typeof query === 'object' && query !== null ? (query as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' ? value : '';
}

const branchField = (name: string, label: string, value: string): Html =>
  html`<div><label for="${name}">${label}</label>
<input id="${name}" name="merge_request[${name}]" value="${value}" list="branches" autocapitalize="none" required></div>`;

/** Where it goes: into the project itself, or the one that it was forked from. */
function targetField(project: ForkFacts, chosen: string): Part {
  const upstream = project.forked_from_project;
  if (!upstream) return null;
  const option = ({ id, path_with_namespace: path }: ProjectFacts) =>
    html`<option value="${id}"${String(id) === chosen ? html` selected` : null}>${path}</option>`;
  return html`<div><label for="target_project_id">Target project</label>
<select id="target_project_id" name="merge_request[target_project_id]">${[upstream, project].map(option)}</select></div>`;
}

async function titleOf(c: PageContext, { api }: Place, branch: string): Promise<string> {
  if (branch === '') return '';
  const found = await c.api.find<BranchRow>(`${api}/repository/branches/${encodeURIComponent(branch)}`);
  return found?.commit.title ?? '';
}

async function newMergeRequestPage(c: PageContext, problem: Problem | null): Promise<Page> {
  const place = await placeOf(c, 'merge_requests');
  const project = place.project as ForkFacts;
  const branches = await c.api.list<BranchRow>(`${place.api}/repository/branches`, { per_page: MAX_BRANCHES });
  const source = chosenOf(c, 'source_branch');
  const target = chosenOf(c, 'target_branch') || (project.forked_from_project ?? project).default_branch || '';
  const title = chosenOf(c, 'title') || (problem === null ? await titleOf(c, place, source) : '');
  const body = html`<h1>New merge request</h1>${problemNotice(problem)}
<form class="wide" method="post" action="${c.at(place.path('merge_requests'))}">${c.formToken}
<datalist id="branches">${branches.rows.map(({ name }) => html`<option value="${name}"></option>`)}</datalist>
${branchField('source_branch', 'Source branch', source)}
${targetField(project, chosenOf(c, 'target_project_id'))}
${branchField('target_branch', 'Target branch', target)}
${lineField('merge_request[title]', 'Title', title, true)}
${textField('description', 'merge_request[description]', 'Description', chosenOf(c, 'description'))}
${source === '' ? null : html`<p><a href="${c.at(place.path(`compare/${encodePath(target)}...${encodePath(source)}`))}">What changes</a></p>`}
<div class="actions"><button class="main">Create merge request</button></div>
</form>`;
  return { ...place.frame, title: `New merge request · ${place.project.name}`, body, status: problem?.status ?? 200 };
}

/** The form for a new merge request. */
export const newMergeRequestPages: PageRoute[] = [
  { method: 'GET', path: 'merge_requests/new', signedIn: true, handle: (c) => newMergeRequestPage(c, null) },
  {
    method: 'POST',
    path: 'merge_requests',
    signedIn: true,
    handle: async (c) => {
      const place = await placeOf(c, 'merge_requests');
      const into = chosenOf(c, 'target_project_id');
      const outcome = await attempt(() =>
        c.api.send<IssuableRow>('POST', `${place.api}/merge_requests`, {
          source_branch: chosenOf(c, 'source_branch'),
          target_branch: chosenOf(c, 'target_branch'),
          title: chosenOf(c, 'title'),
          description: chosenOf(c, 'description'),
          ...(/^\d+$/.test(into) ? { target_project_id: Number(into) } : {}),
        }),
      );
      return 'done' in outcome
        ? { redirect: pathOf(c, outcome.done.web_url) }
        : newMergeRequestPage(c, outcome.problem);
    },
  },
];
