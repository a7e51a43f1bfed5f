import type { Compiled, CompileRequest } from '../compile-request.ts';
import type { ConfigSources } from '../sources.ts';

/** Calls of the sources by a compiler thread. */
export type SourceCall = {
  [Name in keyof ConfigSources]: { name: Name; args: Parameters<ConfigSources[Name]> };
}[keyof ConfigSources];

/** Messages to a compiler thread: start, or a result of the sources. */
export type ToWorker =
  | { type: 'compile'; request: Omit<CompileRequest, 'sources'> }
  | { type: 'answer'; question: number; value: unknown }
  | { type: 'refusal'; question: number; reason: string };

/** Messages from a compiler thread: ready, a call of the sources, or the result. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'question'; question: number; call: SourceCall }
  | { type: 'compiled'; compiled: Compiled }
  | { type: 'failed'; stack: string };
