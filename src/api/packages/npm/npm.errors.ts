import { ApiError } from '../../../core/core.errors.ts';
import type { Access } from '../../../http/http.route.ts';

/** Status at the beginning of some messages. */
const STATUS = /^\d{3} (.+)$/;

/** Message for npm, which shows `error`; other clients of the API read `message`. */
function inShort(message: string): string {
  const text = STATUS.exec(message)?.[1] ?? message;
  const what = /^(.+) Not Found$/.exec(text)?.[1];
  return what === undefined ? text : `${what} not found`;
}

/** An error of this registry. */
export const npmError = (status: number, message: string, headers: Record<string, string> = {}): ApiError =>
  new ApiError(status, message, { error: inShort(message) }, headers);

/** Adds the field that npm reads to an error. */
function forNpm(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.body.error !== undefined) return error;
  const { status, message, body, headers } = error;
  return new ApiError(status, message, { ...body, error: inShort(message) }, headers);
}

/** Runs work whose errors npm reads. */
export async function withNpmErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw forNpm(error);
  }
}

/** Converts the errors of an access check for npm. */
export const accessForNpm = <A extends object>(access: Access<A>): Access<A> => ({
  ...access,
  check: (request) => withNpmErrors(() => access.check(request)),
});
