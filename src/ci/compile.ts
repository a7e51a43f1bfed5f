import type { Compiled, CompileRequest } from './compile-request.ts';

/** Characters of a configuration that is compiled at once, in this thread. */
const SMALL = 2000;
/** What lets a small text become much, or wait: files, repetition, patterns. */
const GROWS = /include|exists|changes|extends|parallel|!reference|[&*]\w|=~|!~|\$\[\[|\{\d/;

/**
 * From the text of a configuration to the pipeline that it makes, or to what is wrong with it (part 1, 4.6). Takes a thread
 * of its own for all but the smallest (docs/decisions/configurations-compiled-apart.md).
 * @throws Busy when too many are being compiled, or the machine has no time for it; whatever the sources throw
 */
export async function compile(request: CompileRequest): Promise<Compiled> {
  const { content } = request;
  if (content.length <= SMALL && !GROWS.test(content)) {
    const { compileInThisThread: compileHere } = await import('./compiler/compile-in-this-thread.ts');
    return await compileHere(request);
  }
  const { compileInThread: compileApart } = await import('./compiler/pool.ts');
  return await compileApart(request);
}
