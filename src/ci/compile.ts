import { compileHere } from './compile-here.ts';
import type { Compiled, CompileRequest } from './compile-request.ts';

/** From the text of a configuration to the pipeline that it makes, or to what is wrong with it. */
export async function compile(request: CompileRequest): Promise<Compiled> {
  return await compileHere(request);
}
