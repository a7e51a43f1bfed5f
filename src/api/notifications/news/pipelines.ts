import type { Pipeline } from '../../../db/tables/pipelines.ts';
import type { Deps } from '../../../deps.ts';
import type { RecordedEvent } from '../../../jobs/events.ts';
import { projectUrl } from '../../code/index.ts';
import { line, lines } from '../mails/block.ts';
import type { Dispatch } from '../mails/dispatch.ts';
import { placeHeaders } from '../mails/headers.ts';
import { candidates } from '../recipients/candidate.ts';
import { placeOf } from '../recipients/place.ts';

/** Failed jobs that a mail names. */
const MAX_JOBS = 50;

const WORDS = {
  failed_pipeline: ['Failed', 'failed'],
  fixed_pipeline: ['Fixed', 'succeeded, and the one before it had failed'],
  success_pipeline: ['Successful', 'succeeded'],
} as const;

export const isToldOfPipeline = ({ payload }: Pick<RecordedEvent<'pipeline.updated'>, 'payload'>): boolean =>
  payload.status === 'failed' || payload.status === 'success';

/** What its user is told of a pipeline that has ended; undefined when it is gone or runs again. */
export async function newsOfPipeline(
  deps: Deps,
  event: RecordedEvent<'pipeline.updated'>,
): Promise<Dispatch | undefined> {
  const { pipeline_id: id, status, project_id: projectId } = event.payload;
  const pipeline = await deps.db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst();
  const place = pipeline && (await placeOf(deps.db, projectId));
  if (pipeline === undefined || place === undefined || pipeline.status !== status || pipeline.user_id === null) {
    return undefined;
  }
  const happening =
    status === 'failed' ? 'failed_pipeline' : (await isFixed(deps, pipeline)) ? 'fixed_pipeline' : 'success_pipeline';
  const [title, text] = WORDS[happening];
  const sha = pipeline.sha.slice(0, 8);
  const failed = status === 'failed' ? await failedJobs(deps, id) : [];
  return {
    topic: { type: 'Project', id: projectId, ability: 'read_pipeline' },
    parts: [
      {
        said: [
          line(`Pipeline #${id} for ${pipeline.ref} (${sha}) ${text}.`),
          ...(failed.length === 0 ? [] : [lines(['Failed jobs:', ...failed])]),
        ],
        news: { happening, candidates: candidates([pipeline.user_id], 'watch'), actorId: null },
      },
    ],
    letter: {
      subject: `${place.project.name} | ${title} pipeline for ${pipeline.ref} | ${sha}`,
      body: [],
      url: `${projectUrl(deps, place.project)}/-/pipelines/${id}`,
      thread: {},
      headers: {
        ...placeHeaders(deps, place),
        'X-GitLab-Pipeline-Id': String(id),
        'X-GitLab-Pipeline-Ref': pipeline.ref,
        'X-GitLab-Pipeline-Status': status,
      },
      followed: null,
      actor: null,
    },
  };
}

/** Whether the pipeline before it for the same ref had failed. */
async function isFixed({ db }: Deps, { id, project_id, ref }: Pipeline): Promise<boolean> {
  const before = await db
    .selectFrom('pipelines')
    .select('status')
    .where('project_id', '=', project_id)
    .where('ref', '=', ref)
    .where('id', '<', id)
    .where('status', 'in', ['failed', 'success'])
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return before?.status === 'failed';
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
