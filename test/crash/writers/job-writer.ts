import { createHash } from 'node:crypto';
import type { Random } from '../random.ts';
import { Refused, type World } from '../world.ts';
import type { Writer } from './writer.ts';

const CONFIGURATION = 'one: { script: [a], artifacts: { paths: [out/] } }\n';
const LONGEST_PIECE = 3_000;
const PIECES = 12;
const WAIT_MS = 20;
const MAX_WAITS = 1_500;

/** A job in hand, with what the server has acknowledged of it. */
interface Held {
  id: number;
  token: string;
  /** The log that it is to have. */
  log: Buffer;
  /** Bytes of it that were acknowledged. */
  sent: number;
  /** The archive that was acknowledged. */
  archive: Buffer | null;
}

/** A job that is over, as far as the server has said. */
export interface FinishedJob {
  id: number;
  log: Buffer;
  archive: Buffer | null;
}

/** A runner: it has jobs made, takes them, sends their logs piece by piece and their archives, and ends them. */
export class JobWriter implements Writer {
  readonly name = 'jobs';
  readonly #world: World;
  readonly #random: Random;
  #projectId = 0;
  #runner = '';
  held: Held | null = null;
  readonly finished: FinishedJob[] = [];
  acknowledged = 0;
  /** Whether the last call of the job in hand was the one that ends it, and was not answered. */
  #ending = false;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  get projectId(): number {
    return this.#projectId;
  }

  /** Makes a project with a configuration, and the runner. */
  async prepare(): Promise<void> {
    const { id } = await this.#world.must<{ id: number }>('POST', '/projects', { path: 'with-jobs' });
    this.#projectId = id;
    const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIGURATION }];
    const commit = { branch: 'main', commit_message: 'first [ci skip]', actions };
    await this.#world.must('POST', `/projects/${id}/repository/commits`, commit);
    const runner = await this.#world.must<{ token: string }>('POST', '/user/runners', {
      runner_type: 'project_type',
      project_id: id,
    });
    this.#runner = runner.token;
  }

  async step(): Promise<void> {
    if (this.held === null) return this.#begin();
    if (await this.#goOn(this.held)) this.acknowledged += 1;
  }

  /** Has a pipeline made and takes its job. */
  async #begin(): Promise<void> {
    const path = `/projects/${this.#projectId}/pipeline?ref=main`;
    if ((await this.#world.send('POST', path)) === null) return;
    for (let waits = 0; waits < MAX_WAITS && !this.#world.killed; waits += 1) {
      const answer = await this.#ask('POST', '/jobs/request', { json: { token: this.#runner, system_id: 's' } });
      if (answer === null) return;
      if (answer.status === 201) {
        const { id, token } = JSON.parse(answer.text) as { id: number; token: string };
        const text = Array.from({ length: PIECES }, (_, index) => `${index} ${this.#random.text(LONGEST_PIECE)}\n`);
        this.held = { id, token, log: Buffer.from(text.join('')), sent: 0, archive: null };
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
    if (!this.#world.killed) throw new Refused('no job came to the runner');
  }

  /** The next call of the job in hand. @returns whether it was acknowledged */
  async #goOn(held: Held): Promise<boolean> {
    if (held.sent < held.log.length) return this.#sendPiece(held);
    if (held.archive === null) return this.#sendArchive(held);
    this.#ending = true;
    const answer = await this.#ask('PUT', `/jobs/${held.id}`, { token: held.token, json: { state: 'success' } });
    if (answer === null) return false;
    this.#ending = false;
    if (answer.status !== 200) throw new Refused(`PUT /jobs/${held.id}: ${answer.status} ${answer.text}`);
    this.#finish(held);
    return true;
  }

  async #sendPiece(held: Held): Promise<boolean> {
    const end = Math.min(held.log.length, held.sent + 1 + this.#random.below(LONGEST_PIECE));
    const answer = await this.#ask('PATCH', `/jobs/${held.id}/trace`, {
      token: held.token,
      headers: { 'content-type': 'text/plain', 'content-range': `${held.sent}-${end - 1}` },
      body: new Uint8Array(held.log.subarray(held.sent, end)),
    });
    if (answer === null) return false;
    // What was taken without an answer is there: the runner goes on after it.
    const there = Number(/^0-(\d+)$/.exec(answer.headers.get('range') ?? '')?.[1] ?? -1);
    if (answer.status === 416 && there > held.sent) held.sent = there;
    else if (answer.status === 202) held.sent = end;
    else
      throw new Refused(
        `lost: ${held.sent} bytes of the log of job ${held.id}: ${answer.status} ${answer.text}, ${there} there`,
      );
    return answer.status === 202;
  }

  async #sendArchive(held: Held): Promise<boolean> {
    // The same bytes each time: sending them again is no other archive.
    const archive = createHash('sha512').update(held.log).digest();
    const form = new FormData();
    form.append('file', new Blob([archive]), 'artifacts.raw');
    const query = 'artifact_type=codequality&artifact_format=raw';
    const answer = await this.#ask('POST', `/jobs/${held.id}/artifacts?${query}`, { token: held.token, body: form });
    if (answer === null) return false;
    if (answer.status !== 201) throw new Refused(`artifacts of job ${held.id}: ${answer.status} ${answer.text}`);
    held.archive = archive;
    return true;
  }

  #finish({ id, log, archive }: Held): void {
    this.finished.push({ id, log, archive });
    this.held = null;
  }

  /** Whether the job in hand may be over, though nobody said so. */
  get mayBeOver(): boolean {
    return this.#ending;
  }

  /** Enters that the job in hand is over. */
  settleEnd(): void {
    if (this.held !== null) this.#finish(this.held);
    this.#ending = false;
  }

  /** A call as a runner makes it. @returns null when the server was killed meanwhile */
  async #ask(
    method: string,
    path: string,
    call: {
      token?: string;
      headers?: Record<string, string>;
      json?: unknown;
      body?: Uint8Array<ArrayBuffer> | FormData;
    },
  ): Promise<{ status: number; text: string; headers: Headers } | null> {
    const { token, json } = call;
    const headers = {
      ...(token === undefined ? {} : { 'job-token': token }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...call.headers,
    };
    const body = json === undefined ? call.body : JSON.stringify(json);
    try {
      const response = await fetch(`${this.#world.server.url}/api/v4${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return { status: response.status, text: await response.text(), headers: response.headers };
    } catch (error) {
      if (this.#world.killed) return null;
      throw new Refused(`${method} ${path}: no answer (${error})`);
    }
  }
}
