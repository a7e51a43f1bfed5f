import { EntryCache } from '../../core/cache/index.ts';
import { onForget } from '../../core/forgetting.ts';
import type { Db } from '../../db/db.schema.ts';
import type { CiJob } from '../../db/tables/ci-jobs.table.ts';
import type { Deps } from '../../deps.ts';
import { storedVariables } from '../variables/pipeline-variables.stored.ts';
import { type SecretBytes, secretBytes } from './trace.mask.ts';

const memories = new WeakMap<Db, EntryCache<number, SecretBytes>>();

function memoryOf(db: Db): EntryCache<number, SecretBytes> {
  const known = memories.get(db);
  if (known !== undefined) return known;
  const fresh = new EntryCache<number, SecretBytes>('trace_secrets', {
    sizeCalculation: ({ sorted }) => 10_000 + sorted.reduce((sum, { length }) => sum + length + 100, 0),
  });
  memories.set(db, fresh);
  onForget(db, () => fresh.clear());
  return fresh;
}

/**
 * Secrets to mask in the log of a job: its token, the runner registration tokens of its project and groups, and all
 * masked variables of its project, groups and the instance, as of the start of its log.
 * @param token of the job in plain text
 */
export async function secretsOf(
  deps: Deps,
  job: Pick<CiJob, 'id' | 'project_id'>,
  token: string,
): Promise<SecretBytes> {
  const memory = memoryOf(deps.db);
  const known = memory.get(job.id);
  if (known !== undefined) return known;
  const secrets = secretBytes([token, ...(await storedSecrets(deps, job.project_id))]);
  memory.set(job.id, secrets);
  return secrets;
}

async function storedSecrets(deps: Deps, projectId: number): Promise<string[]> {
  const { db } = deps;
  const project = await db.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirst();
  if (project === undefined) return [];
  const namespace = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirstOrThrow();
  const stored = await storedVariables(deps, db, project, namespace, { protectedRef: true });
  const registration = await db
    .selectFrom('ci_registration_tokens')
    .select('token')
    .where('project_id', '=', projectId)
    .execute();
  return [
    ...registration.map(({ token }) => token),
    ...stored.filter(({ masked }) => masked === true).map(({ value }) => value),
  ];
}

/** Discards the secrets of a job whose log is complete. */
export const evictSecrets = (deps: Pick<Deps, 'db'>, jobId: number): void => {
  memoryOf(deps.db).delete(jobId);
};
