import assert from 'node:assert/strict';
import type { Response } from 'light-my-request';
import type { TestApp } from './app.ts';
import { multipart } from './multipart.ts';

/** What a runner says of itself: all that a current one is able to do. */
const FEATURES = [
  'variables',
  'image',
  'services',
  'artifacts',
  'cache',
  'fallback_cache_keys',
  'upload_multiple_artifacts',
  'upload_raw_artifacts',
  'refspecs',
  'masking',
  'raw_variables',
  'artifacts_exclude',
  'multi_build_steps',
  'trace_checksum',
  'trace_size',
  'cancelable',
  'return_exit_code',
  'cancel_gracefully',
  'job_inputs',
];

/** A job as a runner gets it, as far as tests look at it. */
export interface JobResponse {
  id: number;
  token: string;
  job_info: { name: string; stage: string; [name: string]: unknown };
  git_info: { repo_url: string; refspecs: string[]; sha: string; depth: number; [name: string]: unknown };
  variables: { key: string; value: string; public: boolean; masked: boolean; file?: boolean; raw?: boolean }[];
  steps: { name: string; script: string[]; timeout: number; when: string; allow_failure: boolean }[];
  artifacts:
    | { artifact_type: string; artifact_format: string; paths: string[]; name?: string; [name: string]: unknown }[]
    | null;
  cache: { key: string; fallback_keys: string[]; [name: string]: unknown }[];
  dependencies: { id: number; name: string; token: string; artifacts_file?: { filename: string; size: number } }[];
  [name: string]: unknown;
}

export interface RunnerOptions {
  token: string;
  systemId?: string;
  features?: Record<string, boolean>;
  executor?: string;
}

/** A runner that speaks the protocol and runs nothing: tests say what its jobs do. */
export class FakeRunner {
  readonly #app: TestApp;
  readonly #options: RunnerOptions;
  /** The text of the last answer without a job. */
  lastUpdate: string | undefined;

  constructor(app: TestApp, options: RunnerOptions) {
    this.#app = app;
    this.#options = options;
  }

  /** Makes a runner by the API, of the server where nothing else is said. */
  static async make(app: TestApp, json: object = {}, options: Partial<RunnerOptions> = {}): Promise<FakeRunner> {
    const response = await app.post('/user/runners', { json: { runner_type: 'instance_type', ...json } });
    assert.equal(response.statusCode, 201, response.body);
    return new FakeRunner(app, { token: response.json<{ token: string }>().token, ...options });
  }

  get token(): string {
    return this.#options.token;
  }

  get info(): object {
    const { features = Object.fromEntries(FEATURES.map((name) => [name, true])), executor = 'shell' } = this.#options;
    return { name: 'gitlab-runner', version: '19.4.0', platform: 'linux', architecture: 'amd64', executor, features };
  }

  /** Asks for a job, and gives the answer whatever it is. */
  async ask(json: object = {}): Promise<Response> {
    const { token, systemId = 's_test' } = this.#options;
    const body = { token, system_id: systemId, info: this.info, ...json };
    const response = await this.#app.post('/jobs/request', { token: null, json: body });
    if (response.statusCode === 204) this.lastUpdate = String(response.headers['x-gitlab-last-update']);
    return response;
  }

  /** Asks for a job. @returns undefined when there is none */
  async request(json: object = {}): Promise<RunningJob | undefined> {
    const response = await this.ask(json);
    if (response.statusCode === 204) return undefined;
    assert.equal(response.statusCode, 201, response.body);
    return new RunningJob(this.#app, response.json<JobResponse>(), this.info);
  }

  /** Asks for a job that must be there. */
  async take(): Promise<RunningJob> {
    const job = await this.request();
    assert.ok(job !== undefined, 'There is no job.');
    return job;
  }
}

/** A job in the hands of a fake runner. */
export class RunningJob {
  readonly #app: TestApp;
  readonly response: JobResponse;
  readonly #info: object;
  /** Bytes of the log that the server has. */
  #sent = 0;

  constructor(app: TestApp, response: JobResponse, info: object) {
    this.#app = app;
    this.response = response;
    this.#info = info;
  }

  get id(): number {
    return this.response.id;
  }

  get name(): string {
    return this.response.job_info.name;
  }

  get headers(): Record<string, string> {
    return { 'job-token': this.response.token };
  }

  /** The value of a variable of the job. */
  variable(key: string): string | undefined {
    return this.response.variables.find((variable) => variable.key === key)?.value;
  }

  /** Sends a piece of the log. @param start offset of its first byte; after what was sent before when left out */
  async patchTrace(piece: string | Buffer, start = this.#sent): Promise<Response> {
    const body = Buffer.from(piece);
    const response = await this.#app.patch(`/jobs/${this.id}/trace`, {
      token: null,
      body,
      headers: {
        ...this.headers,
        'content-type': 'text/plain',
        'content-range': `${start}-${start + body.length - 1}`,
      },
    });
    if (response.statusCode === 202) this.#sent = start + body.length;
    return response;
  }

  /** Says how the job is: `running`, `success` or `failed`. */
  update(state: string, json: object = {}): Promise<Response> {
    const body = { token: this.response.token, info: this.#info, state, ...json };
    return this.#app.put(`/jobs/${this.id}`, { token: null, headers: this.headers, json: body });
  }

  /** Ends the job, and makes sure that the server has taken it. */
  async finish(state: 'success' | 'failed' = 'success', json: object = {}): Promise<void> {
    const response = await this.update(state, json);
    assert.equal(response.statusCode, 200, response.body);
  }

  /** Sends a file that the job leaves. */
  upload(filename: string, content: Buffer, query: Record<string, string> = {}): Promise<Response> {
    const { body, headers } = multipart({}, { field: 'file', name: filename, bytes: content });
    return this.#app.post(`/jobs/${this.id}/artifacts`, {
      token: null,
      query: { artifact_format: 'zip', artifact_type: 'archive', ...query },
      body,
      headers: { ...this.headers, ...headers },
    });
  }

  /** Gets the archive of a job that this one depends on. */
  download({ id, token }: { id: number; token: string }): Promise<Response> {
    return this.#app.get(`/jobs/${id}/artifacts`, { token: null, headers: { 'job-token': token } });
  }
}
