import { createHash } from 'node:crypto';
import type { World } from '../world.ts';
import type { JobWriter } from '../writers/job-writer.ts';

interface JobRow {
  status: string;
  trace_size: number;
}

const LOOKS = 200;
const LOOK_MS = 50;

/** Jobs are as their runner was told: nothing of a log or a file that was acknowledged is gone, and all can go on. */
export async function compareJobs(world: World, writer: JobWriter): Promise<string[]> {
  const problems: string[] = [];
  const { held } = writer;
  if (held !== null) {
    const [row] = await world.records.query<JobRow>(`select status, trace_size from ci_jobs where id = ${held.id}`);
    if (writer.mayBeOver && row?.status === 'success') writer.settleEnd();
    else if (row?.status !== 'running') problems.push(`lost: job ${held.id} should be running and is ${row?.status}`);
    else if (Number(row.trace_size) < held.sent) {
      problems.push(`lost: the log of job ${held.id} has ${row.trace_size} bytes of ${held.sent}`);
    }
  }
  const live = writer.held;
  if (live !== null) {
    const log = await logOf(world, writer, live.id);
    // The end of what may be the beginning of a secret is there, and not shown yet.
    const [trace] = await world.records.query<{ data: string }>(
      `select data from ci_job_traces where job_id = ${live.id} and held = 1`,
    );
    const whole = Buffer.concat([log, Buffer.from(trace?.data ?? '', 'base64')]);
    if (whole.length < live.sent || !live.log.subarray(0, whole.length).equals(whole)) {
      problems.push(`lost: the log of job ${live.id} is not what was sent`);
    }
    if (live.archive !== null) problems.push(...(await compareFile(world, live.id, live.archive)));
  }
  // The earlier ones were looked at in the rounds before.
  for (const { id, log, archive } of writer.finished.slice(-3)) {
    if (!(await logOf(world, writer, id)).equals(log)) problems.push(`lost: the log of job ${id} is not what was sent`);
    if (archive !== null) problems.push(...(await compareFile(world, id, archive)));
    problems.push(...(await compareArchived(world, id, log.length)));
  }
  return problems;
}

async function logOf(world: World, writer: JobWriter, id: number): Promise<Buffer> {
  const answer = await world.send('GET', `/projects/${writer.projectId}/jobs/${id}/trace`);
  return Buffer.from(answer?.text ?? '');
}

async function compareFile(world: World, id: number, content: Buffer): Promise<string[]> {
  const [row] = await world.records.query<{ sha256: string; size: number }>(
    `select sha256, size from ci_job_artifacts where job_id = ${id} and file_type = 'codequality'`,
  );
  const expected = createHash('sha256').update(content).digest('hex');
  return row?.sha256 === expected ? [] : [`lost: a file of job ${id}`];
}

/** The log of a job that is over becomes a file, be the server killed meanwhile. */
async function compareArchived(world: World, id: number, size: number): Promise<string[]> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const [row] = await world.records.query<{ size: number }>(
      `select size from ci_job_artifacts where job_id = ${id} and file_type = 'trace'`,
    );
    if (row !== undefined)
      return Number(row.size) === size ? [] : [`lost: the file of the log of job ${id} has ${row.size} bytes`];
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return [`the log of job ${id} does not become a file`];
}
