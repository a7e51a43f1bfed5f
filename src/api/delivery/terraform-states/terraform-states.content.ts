import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { Busy } from '../../../core/busy.ts';
import { refused } from '../../../core/core.errors.ts';
import { FairSlots } from '../../../core/fair-slots.ts';
import { currentScope } from '../../../core/request-scope.ts';
import { failedToStart, watchThread } from '../../../core/thread-watch.ts';
import type { Deps } from '../../../deps.ts';
import { applicationSettings } from '../../../settings/application-settings.ts';
import type { StoredBlob } from '../../../storage/blob-store.ts';
import { enqueueBlobRemoval } from '../../../storage/unused-blobs.ts';
import { readSerial } from './serial.ts';
import { WORKER, workerAddress } from './serial-worker.ts';

/** Maximum size of a state in bytes. */
const MAX_STATE = 32 * 1024 * 1024;
/** Current maximum size of a state in bytes: the setting of the instance, or the maximum. */
export async function maxStateBytes(deps: Deps): Promise<number> {
  const { max_terraform_state_size_bytes: limit } = await applicationSettings(deps);
  return limit === 0 ? MAX_STATE : Math.min(limit, MAX_STATE);
}

/** States up to this size are parsed in this thread, larger ones in another thread. */
const SMALL = 256 * 1024;
/** Processor time that parsing a state may take, and how often it is checked, in milliseconds. */
const LIMITS = { cpuMs: 30_000, intervalMs: 100 };
const MEMORY = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };

/** A stored state that no version refers to yet. */
export interface ReceivedState extends StoredBlob {
  serial: number;
}

const tooLarge = () => refused('The state is too large to be read', 422);
const noTime = () => new Busy(503, '503 Service Unavailable - the server is too busy to read the state', 5);
/** Threads that parse large states. */
const threads = new FairSlots({
  total: 2,
  perKey: 1,
  maxWaiting: 50,
  maxWaitingPerKey: 5,
  maxWaitMs: 60_000,
  refuse: () => new Busy(503, '503 Service Unavailable - too many large states are being written', 5),
});

/**
 * Stores a state while it is received, and reads its serial.
 * @param md5 digest of the body in Base64, from `Content-MD5`
 * @returns undefined for an empty body
 * @throws ApiError 400 if the digest differs, 422 for an invalid state; errors of reading the body
 */
export async function receiveState(
  deps: Deps,
  bytes: Readable,
  md5: string | undefined,
): Promise<ReceivedState | undefined> {
  const digest = createHash('md5');
  async function* digested(): AsyncGenerator<Buffer> {
    for await (const chunk of bytes.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      yield chunk;
    }
  }
  const blob = await deps.blobs.put(Readable.from(digested(), { objectMode: false }), { maxBytes: MAX_STATE });
  try {
    if (md5 !== undefined && digest.digest('base64') !== md5) throw refused('Content-MD5 does not match the body');
    if (blob.size === 0) {
      await enqueueBlobRemoval(deps, deps.db, [blob.sha256]);
      return undefined;
    }
    return { ...blob, serial: await serialOf(deps, blob) };
  } catch (error) {
    await enqueueBlobRemoval(deps, deps.db, [blob.sha256]);
    throw error;
  }
}

async function serialOf(deps: Deps, { sha256, size }: StoredBlob): Promise<number> {
  const read = async () => (await deps.blobs.read(sha256, 0, size))!;
  const serial = size <= SMALL ? readSerial(await read()) : await inThread(read);
  if (serial === undefined) throw refused('The state is invalid JSON', 422);
  if (typeof serial !== 'number' || !Number.isSafeInteger(serial) || serial < 0) {
    throw refused('No serial in payload: must be a non-negative integer', 422);
  }
  return serial;
}

/** Runs `readSerial` in a thread for this state only. */
async function inThread(read: () => Promise<Uint8Array>): Promise<unknown> {
  const { caller, signal } = currentScope();
  const leave = await threads.take(caller, { signal });
  try {
    const worker = new Worker(new URL(workerAddress), {
      workerData: { name: WORKER, bytes: await read() },
      resourceLimits: MEMORY,
      name: WORKER,
      env: {},
      execArgv: [],
    });
    const result = Promise.withResolvers<unknown>();
    worker.on('message', result.resolve);
    worker.on('error', (error: NodeJS.ErrnoException) =>
      result.reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : failedToStart(error) ? noTime() : error),
    );
    worker.on('exit', () => result.reject(tooLarge()));
    const unwatch = watchThread(worker, LIMITS, {
      onExceeded: () => result.reject(tooLarge()),
      onStalled: () => result.reject(noTime()),
    });
    try {
      return await result.promise;
    } finally {
      unwatch();
      await worker.terminate();
    }
  } finally {
    leave();
  }
}
