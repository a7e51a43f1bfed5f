/** Program of the compiler thread. Other modules import it for its URL only. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { CompileRequest } from '../compile-request.ts';
import type { ConfigSources } from '../sources.ts';
import { compileInThisThread } from './compile-in-this-thread.ts';
import type { FromWorker, SourceCall, ToWorker } from './compiler.messages.ts';

export const workerAddress = import.meta.url;
export const WORKER = 'stithy-compiler';

type Answer = PromiseWithResolvers<unknown>;

/** Compiles the configurations sent by the parent thread, one after the other. */
function serve(port: NonNullable<typeof parentPort>): void {
  const open = new Map<number, Answer>();
  let questions = 0;
  const post = (message: FromWorker) => port.postMessage(message);
  const ask = (call: SourceCall): Promise<never> => {
    const answer = Promise.withResolvers<unknown>();
    open.set(++questions, answer);
    post({ type: 'question', question: questions, call });
    return answer.promise as Promise<never>;
  };
  const sources: ConfigSources = {
    file: (...args) => ask({ name: 'file', args }),
    paths: (...args) => ask({ name: 'paths', args }),
    project: (...args) => ask({ name: 'project', args }),
    remote: (...args) => ask({ name: 'remote', args }),
    template: (...args) => ask({ name: 'template', args }),
    component: (...args) => ask({ name: 'component', args }),
    artifact: (...args) => ask({ name: 'artifact', args }),
    changedPaths: (...args) => ask({ name: 'changedPaths', args }),
    addresses: (...args) => ask({ name: 'addresses', args }),
  };
  const run = async (request: Omit<CompileRequest, 'sources'>) => {
    try {
      post({ type: 'compiled', compiled: await compileInThisThread({ ...request, sources }) });
    } catch (error) {
      post({ type: 'failed', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  };
  port.on('message', (message: ToWorker) => {
    if (message.type === 'compile') return void run(message.request);
    const answer = open.get(message.question);
    open.delete(message.question);
    if (message.type === 'answer') answer?.resolve(message.value);
    else answer?.reject(new Error(message.reason));
  });
  post({ type: 'ready' });
}

if (!isMainThread && parentPort !== null && workerData === WORKER) serve(parentPort);
