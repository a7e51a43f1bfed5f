import { ApiError } from '../../../core/core.errors.ts';
import type { Access } from '../../../http/http.route.ts';

/** Status that some messages begin with. */
const STATUS = /^\d{3} (.+)$/;

/** What npm shows of a refusal: it reads `error`, other clients of the API read `message`. */
function inShort(message: string): string {
  const text = STATUS.exec(message)?.[1] ?? message;
  const what = /^(.+) Not Found$/.exec(text)?.[1];
  return what === undefined ? text : `${what} not found`;
}

/** A refusal in the words of this registry. */
export const npmError = (status: number, message: string, headers: Record<string, string> = {}): ApiError =>
  new ApiError(status, message, { error: inShort(message) }, headers);

/** The same error with what npm reads in it. */
function forNpm(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.body.error !== undefined) return error;
  const { status, message, body, headers } = error;
  return new ApiError(status, message, { ...body, error: inShort(message) }, headers);
}

/** Does something whose refusals npm is to read. */
export async function withNpmErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw forNpm(error);
  }
}

/** The same access; npm reads its refusals. */
export const accessForNpm = <A extends object>(access: Access<A>): Access<A> => ({
  ...access,
  check: (request) => withNpmErrors(() => access.check(request)),
});
