import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { inScope } from '../../../core/request-scope.ts';
import { SlotSet } from '../../../core/slot-set.ts';
import { GitError } from '../../common/index.ts';
import { MAX_INLINE_BYTES_OF_READERS } from '../../objects/index.ts';
import { forbidChildren } from '../../process/index.ts';
import { RepositoryPool } from '../git.repository.ts';
import type { Question } from './question.ts';
import type { FromThread, QuestionMessage, ToThread } from './readers.messages.ts';

const MiB = 1024 * 1024;

/**
 * Buffers that can be transferred, which detaches them here: only `bytes` of an answer, which nothing else refers to.
 */
function handedOver(value: unknown): ArrayBuffer[] {
  const bytes = (value as { bytes?: unknown } | null | undefined)?.bytes;
  if (!(bytes instanceof Uint8Array) || bytes.byteLength !== bytes.buffer.byteLength) return [];
  return [bytes.buffer as ArrayBuffer];
}

/** A pending question. */
class Open {
  readonly number: number;
  readonly controller = new AbortController();
  slot = -1;

  constructor(number: number) {
    this.number = number;
  }
}

/**
 * Main function of a reader thread: answers questions from now on. Does nothing in other threads.
 * @param program role that a thread must have to run it
 * @param questions all supported questions
 */
export function serveQuestions(program: string, questions: readonly Question[]): void {
  if (!isMainThread && parentPort !== null && workerData === program) serve(parentPort, questions);
}

function serve(port: MessagePort, questions: readonly Question[]): void {
  forbidChildren();
  const finders = new Map(questions.map(({ name, find }) => [name, find as Question<unknown[]>['find']]));
  const pool = new RepositoryPool({
    maxRepositories: 100,
    maxProcesses: 0,
    graphPauseMs: null,
    cacheBytes: 8 * MiB,
    // The start of a delta chain takes longer to compute than to read.
    blockBytes: 4 * MiB,
    baseBytes: 8 * MiB,
    inlineInflateBytes: MAX_INLINE_BYTES_OF_READERS,
    maxOpenFiles: 64,
  });
  const open = new SlotSet<Open>();
  const post = (message: FromThread, memory: ArrayBuffer[] = []) => port.postMessage(message, memory);
  const answer = async ({ number, id, dir, name, args, caller }: QuestionMessage) => {
    const question = new Open(number);
    open.add(question);
    try {
      const find = finders.get(name)!;
      const repo = pool.get(id, dir);
      const value = await inScope({ caller, signal: question.controller.signal }, () => find(repo, ...args));
      post({ type: 'answer', number, value }, handedOver(value));
    } catch (error) {
      if (!(error instanceof GitError)) return post({ type: 'unanswered', number });
      const { code, message, exitCode } = error;
      post({ type: 'refusal', number, code, message, exitCode });
    } finally {
      open.delete(question);
    }
  };
  port.on('message', (message: ToThread) => {
    if (message.type === 'question') void answer(message);
    else if (message.type === 'leave') open.find(({ number }) => number === message.number)?.controller.abort();
    else pool.evict(message.id);
  });
  post({ type: 'ready' });
}
