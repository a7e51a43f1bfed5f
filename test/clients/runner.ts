import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { api, url } from './support.ts';

/** A job as the server hands it to a runner, as far as it is looked at here. */
interface Job {
  id: number;
  token: string;
  job_info: { name: string };
  variables: { key: string; value: string }[];
  steps: { name: string; script: string[] }[];
}

/** A runner that does what it is told: it runs nothing, and says of each job what is to be said. */
export class TestRunner {
  readonly #token: string;

  private constructor(token: string) {
    this.#token = token;
  }

  /** A runner of one project. */
  static async of(projectId: number): Promise<TestRunner> {
    const body = { runner_type: 'project_type', project_id: projectId, run_untagged: true };
    return new TestRunner((await api<{ token: string }>('POST', '/user/runners', body)).token);
  }

  /** Takes the next job, which there must be. */
  async take(): Promise<Job> {
    const response = await this.#send('POST', '/jobs/request', { token: this.#token, info: {} });
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as Job;
  }

  /** Takes the next job as soon as there is one. @param features what the runner says that it is able to do */
  async takeWhenThere(features: Record<string, boolean>): Promise<Job> {
    const deadline = Date.now() + 600_000;
    for (;;) {
      const response = await this.#send('POST', '/jobs/request', { token: this.#token, info: { features } });
      if (response.status === 201) return (await response.json()) as Job;
      assert.equal(response.status, 204, await response.clone().text());
      assert.ok(Date.now() < deadline, 'there is no job');
      await wait(50);
    }
  }

  /** Writes the log of a job that was taken, and ends it. */
  async finish(job: Job, state: 'success' | 'failed', log: string): Promise<void> {
    await this.log(job, log);
    const status = state === 'failed' ? { state, failure_reason: 'script_failure', exit_code: 1 } : { state };
    const ended = await this.#send('PUT', `/jobs/${job.id}`, { token: job.token, ...status });
    assert.equal(ended.status, 200, await ended.clone().text());
  }

  /** Leaves an archive as the artifacts of a job that was taken. */
  async leave(job: Job, archive: Buffer): Promise<void> {
    const body = new FormData();
    body.set('file', new Blob([new Uint8Array(archive)]), 'artifacts.zip');
    const headers = { 'job-token': job.token };
    const response = await fetch(`${url}/api/v4/jobs/${job.id}/artifacts`, { method: 'POST', headers, body });
    assert.equal(response.status, 201, await response.text());
  }

  async log(job: Job, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const response = await fetch(`${url}/api/v4/jobs/${job.id}/trace`, {
      method: 'PATCH',
      headers: { 'job-token': job.token, 'content-type': 'text/plain', 'content-range': `0-${bytes.length - 1}` },
      body: bytes,
    });
    assert.equal(response.status, 202, await response.text());
  }

  #send(method: string, path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(`${url}/api/v4${path}`, { method, headers, body: JSON.stringify(body) });
  }
}
