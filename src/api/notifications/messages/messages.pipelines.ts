import { previousOutcome } from '../../../db/previous-outcome.ts';
import type { Pipeline } from '../../../db/tables/pipelines.table.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/jobs.events.ts';
import { strategyOf } from '../../../pipelines/bridges/follow-downstream.ts';
import { projectUrl } from '../../code/index.ts';
import type { Dispatch } from '../mails/dispatch.ts';
import { line, lines } from '../mails/notification-mails.block.ts';
import { projectHeaders } from '../mails/notification-mails.headers.ts';
import { type Candidate, candidates } from '../recipients/candidate.ts';
import { type ProjectContext, projectContextOf } from '../recipients/project-context.ts';
import { watchersOf } from '../recipients/recipients.watchers.ts';

/** Maximum number of failed jobs in a mail. */
const MAX_JOBS = 50;

const OUTCOMES = {
  failed_pipeline: ['Failed', 'failed'],
  fixed_pipeline: ['Fixed', 'succeeded; the previous one had failed'],
  success_pipeline: ['Successful', 'succeeded'],
} as const;
type Outcome = keyof typeof OUTCOMES;
type PipelineEvent = Outcome | `service_account_${Outcome}`;

export const notifiesOfPipeline = ({ payload }: Pick<RecordedEvent<'pipeline.updated'>, 'payload'>): boolean =>
  payload.status === 'failed' || payload.status === 'success';

/** Mails to its user about a finished pipeline; undefined if it was deleted or runs again. */
export async function pipelineMessages(
  deps: Deps,
  event: RecordedEvent<'pipeline.updated'>,
): Promise<Dispatch | undefined> {
  const { pipeline_id: id, status, project_id: projectId } = event.payload;
  const pipeline = await deps.db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst();
  const place = pipeline && (await projectContextOf(deps.db, projectId));
  if (pipeline === undefined || place === undefined || pipeline.status !== status || pipeline.user_id === null) {
    return undefined;
  }
  if (pipeline.parent_id !== null && !(await notifiesOfChildPipeline(deps, pipeline))) return undefined;
  const ofServiceAccount = await isServiceAccount(deps, pipeline.user_id);
  const eventKind = await happeningOf(deps, pipeline, ofServiceAccount);
  const [title, text] = OUTCOMES[eventKind.replace('service_account_', '') as Outcome];
  const sha = pipeline.sha.slice(0, 8);
  const failed = status === 'failed' ? await failedJobs(deps, id) : [];
  const people = await recipientsOf(deps, place, pipeline.user_id, ofServiceAccount);
  return {
    topic: { type: 'Project', id: projectId, ability: 'read_pipeline' },
    parts: [
      {
        sentences: [
          line(`Pipeline #${id} for ${pipeline.ref} (${sha}) ${text}.`),
          ...(failed.length === 0 ? [] : [lines(['Failed jobs:', ...failed])]),
        ],
        message: { eventKind, candidates: people, actorId: null },
      },
    ],
    draft: {
      subject: `${place.project.name} | ${title} pipeline for ${pipeline.ref} | ${sha}`,
      body: [],
      url: `${projectUrl(deps, place.project)}/-/pipelines/${id}`,
      thread: {},
      headers: {
        ...projectHeaders(deps, place),
        'X-GitLab-Pipeline-Id': String(id),
        'X-GitLab-Pipeline-Ref': pipeline.ref,
        'X-GitLab-Pipeline-Status': status,
      },
      followed: null,
      actor: null,
    },
  };
}

/** The event kind of an outcome. Pipelines of service accounts have their own kinds. */
async function happeningOf({ db }: Deps, pipeline: Pipeline, ofServiceAccount: boolean): Promise<PipelineEvent> {
  const event =
    pipeline.status === 'failed'
      ? 'failed_pipeline'
      : (await previousOutcome(db, pipeline)) === 'failed'
        ? 'fixed_pipeline'
        : 'success_pipeline';
  return ofServiceAccount ? `service_account_${event}` : event;
}

/** Whether a child pipeline causes a mail of its own: if it failed without failing its parent. */
async function notifiesOfChildPipeline({ db }: Deps, { status, upstream_job_id: bridge }: Pipeline): Promise<boolean> {
  return status === 'failed' && (bridge === null || (await strategyOf(db, bridge)) === null);
}

/** The user of the pipeline; for service accounts, which read no mail, the users who enabled these events. */
async function recipientsOf(
  deps: Deps,
  place: ProjectContext,
  userId: number,
  ofServiceAccount: boolean,
): Promise<Candidate[]> {
  return ofServiceAccount ? watchersOf(deps, place) : candidates([userId], 'watch');
}

async function isServiceAccount({ db }: Deps, userId: number): Promise<boolean> {
  const user = await db.selectFrom('users').select('kind').where('id', '=', userId).executeTakeFirst();
  return user?.kind === 'service_account';
}

async function failedJobs({ db }: Deps, pipelineId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('ci_jobs')
    .select(['name', 'stage'])
    .where('pipeline_id', '=', pipelineId)
    .where('status', '=', 'failed')
    .where('allow_failure', '=', 0)
    .where('retried', '=', 0)
    .orderBy('id')
    .limit(MAX_JOBS)
    .execute();
  return rows.map(({ name, stage }) => (stage === '' ? name : `${name} (${stage})`));
}
