/** Main program of the writer thread. All other modules import it only for its address. */
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { failureOf, runTask, type Task } from './tasks.ts';
import type { FromWriter, TaskMessage } from './writer.messages.ts';

export const writerAddress = import.meta.url;
export const WRITER = 'stithy-writer';

/** The contents of objects are concatenated in one buffer. */
function taskOf(asked: TaskMessage): Task {
  if (asked.name !== 'objects') return asked;
  const { name, objects, list, bytes } = asked;
  let at = 0;
  const batch = list.map(({ type, oid, length }) => {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset + at, length);
    at += length;
    return { type, oid, data };
  });
  return { name, objects, batch };
}

function serve(port: MessagePort): void {
  const post = (message: FromWriter) => port.postMessage(message);
  const work = async (number: number, task: TaskMessage) => {
    try {
      post({ number, done: await runTask(taskOf(task)) });
    } catch (error) {
      post({ number, failure: failureOf(error) });
    }
  };
  port.on('message', ({ number, task }: { number: number; task: TaskMessage }) => void work(number, task));
  post({ number: 0, done: {} });
}

if (!isMainThread && parentPort !== null && workerData === WRITER) serve(parentPort);
