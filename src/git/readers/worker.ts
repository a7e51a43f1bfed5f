/** What a reading thread runs. Everybody else imports it for its address alone. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { inScope } from '../../core/request-scope.ts';
import { GitError } from '../errors.ts';
import { startNoChildren } from '../process.ts';
import { RepositoryPool } from '../repository.ts';
import type { FromThread, Question, ToThread } from './messages.ts';
import { finders, type QuestionName } from './questions.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-reader';

const MiB = 1024 * 1024;

/** Memory that can be handed over, and is gone here then: an answer has it as `bytes`, and nobody else does. */
function handedOver(value: unknown): ArrayBuffer[] {
  const bytes = (value as { bytes?: unknown } | null | undefined)?.bytes;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== bytes.buffer.byteLength) return [];
  return [bytes.buffer as ArrayBuffer];
}

function serve(port: NonNullable<typeof parentPort>): void {
  startNoChildren();
  const pool = new RepositoryPool({
    maxRepositories: 100,
    maxProcesses: 0,
    graphPauseMs: null,
    cacheBytes: 8 * MiB,
    // What is asked again is answered without a thread. What is kept and forgotten is garbage that takes long to collect.
    keepsAtOnce: false,
    packBytes: 8 * MiB,
    maxOpenFiles: 64,
  });
  const open = new Map<number, AbortController>();
  const post = (message: FromThread, memory: ArrayBuffer[] = []) => port.postMessage(message, memory);
  const answer = async ({ number, id, dir, name, args, caller }: Question) => {
    const controller = new AbortController();
    open.set(number, controller);
    try {
      const find = finders[name as QuestionName] as (...args: unknown[]) => Promise<unknown>;
      const repo = pool.get(id, dir);
      const value = await inScope({ caller, signal: controller.signal }, () => find(repo, ...args));
      post({ type: 'answer', number, value }, handedOver(value));
    } catch (error) {
      if (!(error instanceof GitError)) return post({ type: 'unanswered', number });
      const { code, message, exitCode } = error;
      post({ type: 'refusal', number, code, message, exitCode });
    } finally {
      open.delete(number);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'question') void answer(message);
    else if (message.type === 'leave') open.get(message.number)?.abort();
    else pool.forget(message.id);
  });
  post({ type: 'ready' });
}

if (!isMainThread && parentPort !== null && workerData === WORKER) serve(parentPort);
