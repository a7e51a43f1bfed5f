import type { Compiled, CompileRequest } from '../compile-request.ts';
import type { ConfigSources } from '../sources.ts';

/** What a compiling thread may ask of the sources. */
export type SourceCall = {
  [Name in keyof ConfigSources]: { name: Name; args: Parameters<ConfigSources[Name]> };
}[keyof ConfigSources];

/** To a compiling thread: begin, or here is what was asked for. */
export type ToWorker =
  | { type: 'compile'; request: Omit<CompileRequest, 'sources'> }
  | { type: 'answer'; question: number; value: unknown }
  | { type: 'refusal'; question: number; reason: string };

/** From it: that it has started, a question to the sources, or the end. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'question'; question: number; call: SourceCall }
  | { type: 'compiled'; compiled: Compiled }
  | { type: 'failed'; stack: string };
