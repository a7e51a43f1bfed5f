import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, trusted } from '../../core/template.ts';
import { moment, pageOf, pagination } from '../parts.ts';
import { pathOf, person } from '../planning/issuable-parts.ts';
import type { Person } from '../planning/planning.rows.ts';
import { attempt, buttonForm, type Problem, problemNotice } from '../planning/planning-forms.ts';
import { numberOf, placeOf } from '../planning/planning-place.ts';
import { jobPages } from './job.pages.ts';
import { commitLink, durationText, factList, type JobRow, statusBadge, words } from './pipeline-parts.ts';

/** Pages of jobs that a pipeline is shown with, of a hundred each. */
const MAX_PAGES = 5;
const STATUSES = ['running', 'pending', 'success', 'failed', 'canceled', 'skipped', 'manual', 'created', 'scheduled'];
const ACTIVE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'manual', 'scheduled'];

interface PipelineRow {
  id: number;
  status: string;
  source: string;
  ref: string;
  sha: string;
  name: string | null;
  created_at: string;
}

interface PipelineDetail extends PipelineRow {
  user: Person | null;
  duration: number | null;
  started_at: string | null;
  finished_at: string | null;
  coverage: string | null;
  yaml_errors: string | null;
}

function filterForm(c: PageContext, path: string, ref: string, status: string): Html {
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === status ? trusted(' selected') : null}>${text}</option>`;
  return html`<form class="filters" role="search" method="get" action="${c.at(path)}">
<div><label for="ref">Branch or tag</label><input id="ref" name="ref" value="${ref}" autocapitalize="none"></div>
<div><label for="status">State</label><select id="status" name="status">${option('', 'All')}${STATUSES.map((name) => option(name, words(name)))}</select></div>
<div><button>Filter</button></div></form>`;
}

/** Jobs and bridges by stage, in the order in which they run; each stage as its pipeline has it. */
async function jobsByStage(c: PageContext, api: string): Promise<{ stages: Map<string, JobRow[]>; isWhole: boolean }> {
  const rows: JobRow[] = [];
  let isWhole = true;
  for (const kind of ['jobs', 'bridges']) {
    for (let page = 1; ; page += 1) {
      const list = await c.api.list<JobRow>(`${api}/${kind}`, { page, per_page: 100 });
      rows.push(...list.rows);
      if (!list.hasNext) break;
      if (page < MAX_PAGES) continue;
      isWhole = false;
      break;
    }
  }
  const stages = new Map<string, JobRow[]>();
  for (const row of rows.sort((a, b) => a.id - b.id)) {
    const stage = stages.get(row.stage);
    if (stage === undefined) stages.set(row.stage, [row]);
    else stage.push(row);
  }
  return { stages, isWhole };
}

async function pipelinePage(c: PageContext, problem: Problem | null): Promise<Page> {
  const place = await placeOf(c, 'pipelines');
  const id = numberOf(c, 'id');
  const api = `${place.api}/pipelines/${id}`;
  const pipeline = await c.api.get<PipelineDetail>(api);
  const { stages, isWhole } = await jobsByStage(c, api);
  const path = place.path(`pipelines/${id}`);
  const jobs = [...stages.values()].flat();
  const canRetry = jobs.some(({ status }) => status === 'failed' || status === 'canceled');
  const actions = html`<div class="actions">${ACTIVE.includes(pipeline.status) ? buttonForm(c, `${path}/cancel`, 'Cancel') : null}${
    canRetry ? buttonForm(c, `${path}/retry`, 'Retry') : null
  }</div>`;
  const jobRow = (job: JobRow) => {
    const below = job.downstream_pipeline;
    const target = below === undefined ? place.path(`jobs/${job.id}`) : below && pathOf(c, below.web_url);
    return html`<li>${statusBadge(job.status)} ${
      target === null
        ? html`<strong>${job.name}</strong>`
        : html`<a class="title" href="${c.at(target)}">${job.name}</a>`
    }${job.allow_failure ? html` <span class="quiet">may fail</span>` : null}${
      job.duration === null ? null : html` <span class="quiet">${durationText(job.duration)}</span>`
    }</li>`;
  };
  const body = html`<h1>Pipeline #${id}</h1>${problemNotice(problem)}
<p>${statusBadge(pipeline.status)} ${pipeline.name}</p>
${pipeline.yaml_errors ? html`<p class="notice bad">${pipeline.yaml_errors}</p>` : null}
${c.user === null ? null : actions}
<div class="columns"><div>${[...stages].map(
    ([stage, list]) =>
      html`<section aria-label="Stage ${stage}"><h2>${stage}</h2><ul class="rows">${list.map(jobRow)}</ul></section>`,
  )}${isWhole ? null : html`<p class="quiet">There are further jobs.</p>`}</div>
<aside aria-label="Facts">${factList([
    ['Branch or tag', pipeline.ref],
    ['Commit', commitLink(c, place.path(`commit/${pipeline.sha}`), pipeline.sha)],
    ['Started by', pipeline.user && person(c, pipeline.user)],
    ['Reason', words(pipeline.source)],
    ['Created', moment(pipeline.created_at)],
    ['Duration', pipeline.duration === null ? null : durationText(pipeline.duration)],
    ['Coverage', pipeline.coverage && `${pipeline.coverage} %`],
  ])}</aside></div>`;
  return { ...place.frame, title: `Pipeline #${id} · ${place.project.name}`, body, status: problem?.status ?? 200 };
}

const action = (name: 'cancel' | 'retry'): PageRoute => ({
  method: 'POST',
  path: `pipelines/:id/${name}`,
  signedIn: true,
  handle: async (c) => {
    const place = await placeOf(c, 'pipelines');
    const page = `pipelines/${numberOf(c, 'id')}`;
    const outcome = await attempt(() => c.api.send('POST', `${place.api}/${page}/${name}`));
    return 'done' in outcome ? { redirect: place.path(page) } : pipelinePage(c, outcome.problem);
  },
});

/** Pipelines of a project, and their jobs. */
export const pipelinePages: PageRoute[] = [
  {
    method: 'GET',
    path: 'pipelines',
    handle: async (c) => {
      const place = await placeOf(c, 'pipelines');
      const path = place.path('pipelines');
      const ref = (c.query('ref') ?? '').slice(0, 255);
      const status = STATUSES.find((name) => name === c.query('status')) ?? '';
      const filters = { ...(ref === '' ? {} : { ref }), ...(status === '' ? {} : { status }) };
      const list = await c.api.list<PipelineRow>(`${place.api}/pipelines`, {
        ...filters,
        page: pageOf(c),
        per_page: 20,
      });
      const body = html`<h1>Pipelines</h1>${filterForm(c, path, ref, status)}${
        list.rows.length === 0
          ? html`<p class="quiet">There are none.</p>`
          : html`<ul class="rows">${list.rows.map(
              (
                row,
              ) => html`<li>${statusBadge(row.status)} <a class="title" href="${c.at(place.path(`pipelines/${row.id}`))}">#${row.id}${row.name && ` ${row.name}`}</a>
<br><span class="quiet">${row.ref} · ${commitLink(c, place.path(`commit/${row.sha}`), row.sha)} · ${words(row.source)} · ${moment(row.created_at)}</span></li>`,
            )}</ul>`
      }${pagination(c, path, list, new URLSearchParams(filters).toString())}`;
      return { ...place.frame, title: `Pipelines · ${place.project.name}`, body };
    },
  },
  { method: 'GET', path: 'pipelines/:id', handle: (c) => pipelinePage(c, null) },
  action('cancel'),
  action('retry'),
  ...jobPages,
];
