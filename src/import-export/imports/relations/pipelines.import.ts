import type { Insertable } from 'kysely';
import { FAILURE_REASONS } from '../../../ci/failure-reasons.ts';
import { PIPELINE_SOURCES } from '../../../ci/pipeline-sources.ts';
import { COMPLETE, type State } from '../../../ci/states.ts';
import { bit } from '../../../db/columns.ts';
import type { Db } from '../../../db/db.schema.ts';
import { nextIid } from '../../../db/iids.ts';
import type { CiJobsTable } from '../../../db/tables/ci-jobs.table.ts';
import {
  coerceFlag,
  coerceIid,
  coerceInstant,
  coerceInteger,
  coerceObjects,
  coerceOneOf,
  coerceSha,
  coerceText,
  type ImportedObject,
  InvalidImportObject,
  isImportedObject,
  requireText,
} from '../coerce-import.ts';
import type { ImportContext, RelationWriter } from '../import-context.ts';
import { dates, insertInBatches } from './rows.ts';

/** Lists of jobs in a stage, with the kind of their jobs. */
const LISTS = { builds: 'build', bridges: 'bridge', generic_commit_statuses: 'status', statuses: 'build' } as const;
const MAX_JOBS = 10_000;
const MAX_NAME = 255;
const WHENS = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
const NO_COMMIT = /^0+$/;

/** Final status: unfinished jobs become canceled, as they never run here. */
const stateOf = (value: unknown): State =>
  COMPLETE.find((state) => state === value) ?? (value === 'manual' ? 'skipped' : 'canceled');
const reasonOf = (value: unknown) => FAILURE_REASONS.find((reason) => reason === value) ?? null;
const amount = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 100 ? value : null;

interface Made {
  id: number;
  sha: string;
  ref: string;
  object: ImportedObject;
}

function jobsOf(context: ImportContext, { id, sha, ref, object }: Made): Insertable<CiJobsTable>[] {
  const rows = coerceObjects(object.stages).flatMap((stage, at) =>
    Object.entries(LISTS).flatMap(([list, kind]) =>
      coerceObjects(stage[list]).map((job): Insertable<CiJobsTable> => {
        const status = stateOf(job.status);
        return {
          ...{ kind, project_id: context.place.id, pipeline_id: id, sha, ref, status },
          tag: coerceFlag(object.tag),
          name: requireText(job.name, 'the name of a job', MAX_NAME),
          stage: requireText(job.stage ?? stage.name, 'the name of a stage', MAX_NAME),
          stage_index: coerceInteger(job.stage_idx ?? stage.position) ?? at,
          run_when: coerceOneOf(job.when, WHENS),
          allow_failure: coerceFlag(job.allow_failure),
          retried: coerceFlag(job.retried),
          failure_reason: status === 'failed' ? reasonOf(job.failure_reason) : null,
          exit_code: coerceInteger(job.exit_code),
          coverage: amount(job.coverage),
          description: coerceText(job.description, 1_024),
          target_url: addressOf(job.target_url),
          user_id: context.users.of(job.user_id),
          queued_at: coerceInstant(job.queued_at),
          started_at: coerceInstant(job.started_at),
          finished_at: coerceInstant(job.finished_at),
          ...dates(context, job),
        };
      }),
    ),
  );
  if (rows.length > MAX_JOBS) throw new InvalidImportObject(`a pipeline has more than ${MAX_JOBS} jobs`);
  return rows;
}

function addressOf(value: unknown): string | null {
  const url = coerceText(value, 2_048);
  return url !== null && /^https?:\/\//i.test(url) ? url : null;
}

async function requestsOf(
  { place }: ImportContext,
  db: Db,
  object: readonly ImportedObject[],
): Promise<Map<number, number>> {
  const iids = object.flatMap(({ merge_request }) =>
    isImportedObject(merge_request) ? (coerceInteger(merge_request.iid, 1) ?? []) : [],
  );
  const rows = await db
    .selectFrom('merge_requests')
    .select(['id', 'iid'])
    .where('project_id', '=', place.id)
    .where('iid', 'in', [...new Set(iids)])
    .execute();
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

/** Imports pipelines with their jobs; unfinished ones become canceled. */
export const pipelineWriter: RelationWriter = {
  batchSize: 20,
  async write(context, db, object) {
    const requests = await requestsOf(context, db, object);
    const columns = object.map((each) => {
      const head = coerceSha(each.sha);
      if (head === null || NO_COMMIT.test(head)) throw new InvalidImportObject('the commit of a pipeline is missing');
      const status = stateOf(each.status);
      const request = isImportedObject(each.merge_request)
        ? requests.get(coerceInteger(each.merge_request.iid, 1) ?? 0)
        : undefined;
      return {
        iid: coerceIid(each.iid),
        project_id: context.place.id,
        sha: head,
        ref: requireText(each.ref, 'the ref of a pipeline', 1_024),
        tag: coerceFlag(each.tag),
        source: coerceOneOf(each.source, ['external', ...PIPELINE_SOURCES]),
        status,
        user_id: context.users.ofOptional(each.user_id),
        before_sha: coerceSha(each.before_sha),
        source_sha: coerceSha(each.source_sha),
        target_sha: coerceSha(each.target_sha),
        merge_request_id: request ?? null,
        name: coerceText(each.name, MAX_NAME),
        yaml_errors: coerceText(each.yaml_errors, 65_536),
        failure_reason: status === 'failed' ? coerceText(each.failure_reason, MAX_NAME) : null,
        duration: coerceInteger(each.duration),
        protected: bit(each.protected === true),
        started_at: coerceInstant(each.started_at),
        finished_at: coerceInstant(each.finished_at),
        ...dates(context, each),
      };
    });
    const rows = await db.insertInto('pipelines').values(columns).returning(['id', 'iid', 'sha', 'ref']).execute();
    const highest = Math.max(...columns.map((row) => row.iid));
    await nextIid(db, { source_type: 'project', source_id: context.place.id, usage: 'pipelines' }, highest);
    const byNumber = new Map(rows.map((row) => [row.iid, row]));
    const jobs = object.flatMap((each) => jobsOf(context, { ...byNumber.get(coerceIid(each.iid))!, object: each }));
    await insertInBatches(jobs, (part) => db.insertInto('ci_jobs').values(part).execute());
  },
};
