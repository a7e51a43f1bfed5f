import type { Insertable } from 'kysely';
import { FAILURE_REASONS } from '../../../ci/failure-reasons.ts';
import { PIPELINE_SOURCES } from '../../../ci/pipeline-sources.ts';
import { COMPLETE, type State } from '../../../ci/states.ts';
import { bit } from '../../../db/columns.ts';
import { nextIid } from '../../../db/iids.ts';
import type { Db } from '../../../db/schema.ts';
import type { CiJobsTable } from '../../../db/tables/ci-jobs.ts';
import type { Importing, Writer } from '../importing.ts';
import { filled, flag, type Given, iid, instant, integer, isGiven, objects, oneOf, sha, text, Unfit } from '../take.ts';
import { dates, inParts } from './rows.ts';

/** Lists in which stages have their jobs. */
const LISTS = { builds: 'build', bridges: 'bridge', generic_commit_statuses: 'status', statuses: 'build' } as const;
const MAX_JOBS = 10_000;
const MAX_NAME = 255;
const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const NO_COMMIT = /^0+$/;

/** What is not over will never be: nothing is run here that was begun elsewhere. */
const stateOf = (value: unknown): State =>
  COMPLETE.find((state) => state === value) ?? (value === 'manual' ? 'skipped' : 'canceled');
const reasonOf = (value: unknown) => FAILURE_REASONS.find((reason) => reason === value) ?? null;
const amount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 100 ? value : null;

interface Made {
  id: number;
  sha: string;
  ref: string;
  given: Given;
}

function jobsOf(importing: Importing, { id, sha, ref, given }: Made): Insertable<CiJobsTable>[] {
  const rows = objects(given.stages).flatMap((stage, at) =>
    Object.entries(LISTS).flatMap(([list, kind]) =>
      objects(stage[list]).map((job): Insertable<CiJobsTable> => {
        const status = stateOf(job.status);
        return {
          ...{ kind, project_id: importing.place.id, pipeline_id: id, sha, ref, status },
          tag: flag(given.tag),
          name: filled(job.name, 'the name of a job', MAX_NAME),
          stage: filled(job.stage ?? stage.name, 'the name of a stage', MAX_NAME),
          stage_index: integer(job.stage_idx ?? stage.position) ?? at,
          run_when: oneOf(job.when, WHENS),
          allow_failure: flag(job.allow_failure),
          retried: flag(job.retried),
          failure_reason: status === 'failed' ? reasonOf(job.failure_reason) : null,
          exit_code: integer(job.exit_code),
          coverage: amount(job.coverage),
          description: text(job.description, 1_024),
          target_url: addressOf(job.target_url),
          user_id: importing.people.of(job.user_id),
          queued_at: instant(job.queued_at),
          started_at: instant(job.started_at),
          finished_at: instant(job.finished_at),
          ...dates(importing, job),
        };
      }),
    ),
  );
  if (rows.length > MAX_JOBS) throw new Unfit(`a pipeline has more than ${MAX_JOBS} jobs`);
  return rows;
}

function addressOf(value: unknown): string | null {
  const found = text(value, 2_048);
  return found !== null && /^https?:\/\//i.test(found) ? found : null;
}

async function requestsOf({ place }: Importing, db: Db, given: readonly Given[]): Promise<Map<number, number>> {
  const iids = given.flatMap(({ merge_request }) =>
    isGiven(merge_request) ? (integer(merge_request.iid, 1) ?? []) : [],
  );
  const rows = await db
    .selectFrom('merge_requests')
    .select(['id', 'iid'])
    .where('project_id', '=', place.id)
    .where('iid', 'in', [...new Set(iids)])
    .execute();
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

/** Pipelines as they were, with their jobs; whatever was not over when it was exported counts as canceled. */
export const pipelineWriter: Writer = {
  atOnce: 20,
  async write(importing, db, given) {
    const requests = await requestsOf(importing, db, given);
    const columns = given.map((each) => {
      const head = sha(each.sha);
      if (head === null || NO_COMMIT.test(head)) throw new Unfit('the commit of a pipeline is missing');
      const status = stateOf(each.status);
      const request = isGiven(each.merge_request) ? requests.get(integer(each.merge_request.iid, 1) ?? 0) : undefined;
      return {
        iid: iid(each.iid),
        project_id: importing.place.id,
        sha: head,
        ref: filled(each.ref, 'the ref of a pipeline', 1_024),
        tag: flag(each.tag),
        source: oneOf(each.source, ['external', ...PIPELINE_SOURCES]),
        status,
        user_id: importing.people.maybe(each.user_id),
        before_sha: sha(each.before_sha),
        source_sha: sha(each.source_sha),
        target_sha: sha(each.target_sha),
        merge_request_id: request ?? null,
        name: text(each.name, MAX_NAME),
        yaml_errors: text(each.yaml_errors, 65_536),
        failure_reason: status === 'failed' ? text(each.failure_reason, MAX_NAME) : null,
        duration: integer(each.duration),
        protected: bit(each.protected === true),
        started_at: instant(each.started_at),
        finished_at: instant(each.finished_at),
        ...dates(importing, each),
      };
    });
    const rows = await db.insertInto('pipelines').values(columns).returning(['id', 'iid', 'sha', 'ref']).execute();
    const highest = Math.max(...columns.map((row) => row.iid));
    await nextIid(db, { source_type: 'project', source_id: importing.place.id, usage: 'pipelines' }, highest);
    const byNumber = new Map(rows.map((row) => [row.iid, row]));
    const jobs = given.flatMap((each) => jobsOf(importing, { ...byNumber.get(iid(each.iid))!, given: each }));
    await inParts(jobs, (part) => db.insertInto('ci_jobs').values(part).execute());
  },
};
