import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import type { FromWorker } from './messages.ts';

const MAX_TEXT = 8_000;

/** Whether a test failed only because tests inside it did. */
const isWrapper = ({ details: { error } }: EventData.TestFail): boolean =>
  'failureType' in error && error.failureType === 'subtestsFailed';

/** What a test threw, without the lines of node's own code. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_TEXT);
  const lines = (error.stack ?? error.message).split('\n');
  return lines
    .filter((line) => !/^ +at .*node:/.test(line))
    .join('\n')
    .slice(0, MAX_TEXT);
}

function failure({ name, line, details }: EventData.TestFail): FromWorker {
  const { cause } = details.error;
  return { kind: 'failed', name, line: line ?? 1, text: describeError(cause instanceof Error ? cause : details.error) };
}

/** What the runner is told of an event. The suite on the outside is the file; other suites count by their tests. */
function messageFor({ type, data }: TestEvent): FromWorker | undefined {
  if (type === 'test:dequeue') return data.nesting === 0 ? undefined : { kind: 'began', name: data.name };
  if (type !== 'test:pass' && type !== 'test:fail') return undefined;
  if (data.nesting === 0) {
    const failed = type === 'test:fail' && !isWrapper(data);
    return { kind: 'loaded', text: failed ? describeError(data.details.error.cause ?? data.details.error) : null };
  }
  if (type === 'test:fail') return isWrapper(data) ? { kind: 'ended', name: data.name } : failure(data);
  if (data.details.type === 'suite') return { kind: 'ended', name: data.name };
  return { kind: data.skip === undefined ? 'passed' : 'skipped', name: data.name };
}

/** The reporter of a worker: tells the runner what comes of each test, and prints nothing. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const message = messageFor(event);
    if (message !== undefined) process.send?.(message);
  }
  yield '';
}
