import { setImmediate as turn } from 'node:timers/promises';
import { ApiRefusal } from '../../core/api-client.ts';
import type { Page, PageContext, PageRoute } from '../../core/page.ts';
import { type Html, html, type Part, trusted } from '../../core/template.ts';
import { LOG_START, type LogState, logAfter, renderLog } from '../../job-log/index.ts';
import { moment } from '../parts.ts';
import { person } from '../planning/issuable-parts.ts';
import type { Person } from '../planning/planning.rows.ts';
import { attempt, buttonForm, type Problem, problemNotice } from '../planning/planning-forms.ts';
import { numberOf, placeOf } from '../planning/planning-place.ts';
import { commitLink, durationText, factList, type JobRow, statusBadge, words } from './pipeline-parts.ts';

/** Bytes of a log on one page. */
const MAX_LOG = 1024 * 1024;
/** Bytes that are rendered without a turn of others. */
const STEP = 64 * 1024;
const NEW_LINE = 0x0a;

const ACTIONS = ['play', 'cancel', 'retry'] as const;
type Action = (typeof ACTIONS)[number];
const ACTION_OF: Readonly<Record<string, Action>> = {
  ...{ manual: 'play', scheduled: 'play' },
  ...{ created: 'cancel', waiting_for_resource: 'cancel', preparing: 'cancel', pending: 'cancel', running: 'cancel' },
  ...{ success: 'retry', failed: 'retry', canceled: 'retry' },
};

/** Where a part of a log begins: with a line, if there is one. */
function startOf(bytes: Buffer, part: number): number {
  if (part === 0) return 0;
  const end = bytes.indexOf(NEW_LINE, part * MAX_LOG - 1);
  return end === -1 || end >= (part + 1) * MAX_LOG ? part * MAX_LOG : end + 1;
}

async function htmlOf(bytes: Buffer): Promise<Html> {
  const parts: string[] = [];
  let state: LogState = LOG_START;
  for (let at = 0; at < bytes.length; ) {
    const rendered = renderLog(bytes.subarray(at, at + STEP), state);
    parts.push(rendered.html);
    state = rendered.state;
    at += rendered.consumed;
    await turn();
  }
  return trusted(parts.join('') + logAfter(state));
}

/** The log of a job: its end, or the part of it that is asked for. */
async function logOf(c: PageContext, api: string, path: string): Promise<Part> {
  let bytes: Buffer;
  try {
    bytes = Buffer.from(await c.api.text(`${api}/trace`));
  } catch (error) {
    // Bridges have no log, and those with secrets are for few.
    if (error instanceof ApiRefusal && [401, 403, 404].includes(error.status))
      return html`<p class="quiet">There is no log that you may see.</p>`;
    throw error;
  }
  if (bytes.length === 0) return html`<p class="quiet">There is no log yet.</p>`;
  const last = Math.ceil(bytes.length / MAX_LOG) - 1;
  const asked = c.query('part') ?? '';
  const part = /^\d{1,6}$/.test(asked) ? Math.min(Number(asked), last) : last;
  const end = part === last ? bytes.length : startOf(bytes, part + 1);
  const link = (to: number, text: string) => html`<a class="button" href="${c.at(`${path}?part=${to}`)}">${text}</a>`;
  const pages =
    last === 0
      ? null
      : html`<nav class="actions" aria-label="Parts of the log">${part > 0 ? link(part - 1, 'Earlier part') : null}
<span class="quiet">Part ${part + 1} of ${last + 1}</span>${part < last ? link(part + 1, 'Later part') : null}</nav>`;
  return html`${pages}<div class="log">${await htmlOf(bytes.subarray(startOf(bytes, part), end))}</div>`;
}

async function jobPage(c: PageContext, problem: Problem | null): Promise<Page> {
  const place = await placeOf(c, 'pipelines');
  const id = numberOf(c, 'id');
  const api = `${place.api}/jobs/${id}`;
  const job = await c.api.get<JobRow>(api);
  const path = place.path(`jobs/${id}`);
  const action = ACTION_OF[job.status];
  const body = html`<h1>${job.name} <span class="quiet">#${id}</span></h1>${problemNotice(problem)}
<p>${statusBadge(job.status)}${job.failure_reason === null ? null : html` <span class="quiet">${words(job.failure_reason)}</span>`}</p>
${c.user === null || action === undefined ? null : html`<div class="actions">${buttonForm(c, `${path}/${action}`, words(action))}</div>`}
<div class="columns"><section aria-label="Log">${await logOf(c, api, path)}</section>
<aside aria-label="Facts">${factList([
    ['Pipeline', html`<a href="${c.at(place.path(`pipelines/${job.pipeline.id}`))}">#${job.pipeline.id}</a>`],
    ['Stage', job.stage],
    ['Branch or tag', job.ref],
    [
      'Commit',
      job.commit && html`${commitLink(c, place.path(`commit/${job.commit.id}`), job.commit.id)} ${job.commit.title}`,
    ],
    ['Started by', job.user && person(c, job.user as Person)],
    ['Runner', job.runner?.description ?? null],
    ['Tags', job.tag_list?.join(', ') || null],
    ['Created', moment(job.created_at)],
    ['Waited', job.queued_duration === null ? null : durationText(job.queued_duration)],
    ['Duration', job.duration === null ? null : durationText(job.duration)],
    ['Coverage', job.coverage === null ? null : `${job.coverage} %`],
  ])}</aside></div>`;
  return {
    ...place.frame,
    ...{ title: `${job.name} (#${id}) · ${place.project.name}`, body, styles: ['job-log'] },
    status: problem?.status ?? 200,
  };
}

/** Jobs of a project. */
export const jobPages: PageRoute[] = [
  { method: 'GET', path: 'jobs/:id', handle: (c) => jobPage(c, null) },
  ...ACTIONS.map(
    (name): PageRoute => ({
      method: 'POST',
      path: `jobs/:id/${name}`,
      signedIn: true,
      handle: async (c) => {
        const place = await placeOf(c, 'pipelines');
        const outcome = await attempt(() =>
          c.api.send<JobRow>('POST', `${place.api}/jobs/${numberOf(c, 'id')}/${name}`),
        );
        return 'done' in outcome ? { redirect: place.path(`jobs/${outcome.done.id}`) } : jobPage(c, outcome.problem);
      },
    }),
  ),
];
