import type { Compiled, CompileRequest } from './compile-request.ts';

/** Maximum length of a configuration that is compiled in this thread. */
const SMALL = 2000;
/** Constructs that can make a short configuration expensive or wait: files, repetition, patterns. */
const GROWS = /include|exists|changes|extends|parallel|!reference|[&*]\w|=~|!~|\$\[\[|\{\d/;

/**
 * Compiles the text of a configuration to a pipeline or errors (part 1, 4.6). Uses a separate thread for all but the
 * smallest (src/ci/decisions/configurations-compiled-apart.md).
 * @throws Busy if too many are being compiled, or the server is overloaded; errors of the sources
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
