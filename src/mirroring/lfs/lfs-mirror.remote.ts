import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { RemoteSource } from '../../git/remote/index.ts';
import { REDIRECTS } from '../../outbound/outbound.fetch.ts';
import { type ExternalRequest, requestExternal } from '../../outbound/outbound.request.ts';
import { BlockedAddress, type OutboundRules, parseHttpUrl } from '../../outbound/outbound.resolve.ts';
import type { LfsObject } from '../../repositories/repository.lfs-objects.ts';
import { type LfsAction, type LfsTransfer, readBatch } from './batch.ts';
import { LfsFailure, statusFailure } from './lfs-mirror.failure.ts';

const TYPE = 'application/vnd.git-lfs+json';
/** Idle timeout of a server in milliseconds. */
const IDLE_MS = 60_000;
const BATCH_MS = 120_000;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_REDIRECTS = 5;

/**
 * LFS client for a repository on another server: batch API and basic transfers. Every address is checked before a
 * connection; credentials are sent only to the server of the repository.
 */
export class LfsRemote {
  readonly #rules: OutboundRules;
  readonly #base: URL;
  readonly #authorization: Readonly<Record<string, string>>;

  private constructor(source: RemoteSource, rules: OutboundRules) {
    this.#rules = rules;
    const path = source.url.replace(/\/+$/, '');
    this.#base = new URL(`${path}${path.endsWith('.git') ? '' : '.git'}/info/lfs`);
    const { user } = source;
    const pair = user === undefined ? '' : Buffer.from(`${user.name}:${user.password}`).toString('base64');
    this.#authorization = user === undefined ? {} : { authorization: `Basic ${pair}` };
  }

  /** Null if the repository is not accessed over HTTP, which LFS requires. */
  static of(source: RemoteSource, rules: OutboundRules): LfsRemote | null {
    return /^https?:/.test(source.url) ? new LfsRemote(source, rules) : null;
  }

  /**
   * Requests the transfer of objects.
   * @param objects at most one hundred
   * @returns transfers by object id; some may be missing
   * @throws LfsFailure, the reason of the signal
   */
  async batch(
    operation: 'upload' | 'download',
    objects: readonly LfsObject[],
    signal: AbortSignal,
  ): Promise<Map<string, LfsTransfer>> {
    const body = Buffer.from(
      JSON.stringify({
        operation,
        transfers: ['basic'],
        hash_algo: 'sha256',
        objects: objects.map(({ oid, size }) => ({ oid, size })),
      }),
    );
    const headers = {
      accept: TYPE,
      'content-type': TYPE,
      'content-length': String(body.length),
      ...this.#authorization,
    };
    const late = AbortSignal.any([signal, AbortSignal.timeout(BATCH_MS)]);
    const url = new URL(`${this.#base.href}/objects/batch`);
    const answer = await this.#send(url, { method: 'POST', headers, body, signal: late }, signal);
    try {
      if (answer.statusCode !== 200) throw statusFailure(answer.statusCode ?? 0);
      const batch = readBatch(await this.#text(answer, signal));
      if (batch === null) throw new LfsFailure('The remote server sent an invalid LFS response.');
      return batch;
    } finally {
      answer.destroy();
    }
  }

  /**
   * Opens a download.
   * @returns the unverified content; the caller must destroy the stream
   * @throws LfsFailure, the reason of the signal
   */
  async download(action: LfsAction, signal: AbortSignal): Promise<Readable> {
    let url = this.#address(action.href);
    let headers = this.#headersFor(url, action);
    for (let hops = 0; ; hops += 1) {
      const answer = await this.#send(url, { headers, signal }, signal);
      const { statusCode: status = 0 } = answer;
      if (status === 200) return answer;
      answer.destroy();
      const { location } = answer.headers;
      if (!REDIRECTS.includes(status) || location === undefined || hops === MAX_REDIRECTS) {
        throw statusFailure(status, { single: true });
      }
      const next = this.#address(new URL(location, url).href);
      // Headers for one server must not be sent to another.
      if (next.origin !== url.origin) headers = { 'accept-encoding': 'identity' };
      url = next;
    }
  }

  /** Uploads an object and verifies it if requested. @throws LfsFailure, the reason of the signal */
  async upload({ oid, size, actions }: LfsTransfer, bytes: Readable, signal: AbortSignal): Promise<void> {
    const action = actions.get('upload');
    if (action === undefined) return;
    const url = this.#address(action.href);
    const type = { 'content-type': 'application/octet-stream' };
    const headers = { ...type, ...this.#headersFor(url, action), 'content-length': String(size) };
    await this.#done(await this.#send(url, { method: 'PUT', headers, body: bytes, signal }, signal));
    const verify = actions.get('verify');
    if (verify === undefined) return;
    const target = this.#address(verify.href);
    const body = Buffer.from(JSON.stringify({ oid, size }));
    const about = { accept: TYPE, 'content-type': TYPE, 'content-length': String(body.length) };
    const options = {
      method: 'POST',
      headers: { ...this.#headersFor(target, verify), ...about },
      body,
      signal,
    } as const;
    await this.#done(await this.#send(target, options, signal));
  }

  async #done(answer: IncomingMessage): Promise<void> {
    const { statusCode: status = 0 } = answer;
    answer.destroy();
    if (status < 200 || status >= 300) throw statusFailure(status, { single: true });
  }

  #address(href: string): URL {
    try {
      return parseHttpUrl(href);
    } catch (error) {
      if (error instanceof BlockedAddress) throw blocked(error);
      throw error;
    }
  }

  #headersFor(url: URL, { header }: LfsAction): Record<string, string> {
    const own = Object.keys(header).some((name) => name.toLowerCase() === 'authorization');
    const credentials = !own && url.origin === this.#base.origin ? this.#authorization : {};
    return { 'accept-encoding': 'identity', ...credentials, ...header };
  }

  async #send(url: URL, request: ExternalRequest, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await requestExternal(url, this.#rules, { idleMs: IDLE_MS, ...request });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BlockedAddress) throw blocked(error);
      throw new LfsFailure('The remote server could not be reached.');
    }
  }

  async #text(answer: IncomingMessage, signal: AbortSignal): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_BATCH_BYTES) break;
        chunks.push(chunk);
      }
    } catch {
      signal.throwIfAborted();
      throw new LfsFailure('The remote server closed the connection.');
    }
    return size > MAX_BATCH_BYTES ? '' : Buffer.concat(chunks).toString();
  }
}

const blocked = (error: BlockedAddress): LfsFailure =>
  new LfsFailure(`An address returned by the remote server ${error.message}.`, { single: true });
