/** Error messages by field, in the words of the platform's model validations. */
export type FieldErrors = Record<string, string[]>;

/**
 * A refusal, created by the code that enforces the rule. `message` is sent to the client unchanged, so it must not
 * contain paths, SQL, stacks or secrets. Serves part 1, section 7.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** Further keys of the body, besides `message`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    body: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const because = (text: string, reason: string | undefined) => (reason === undefined ? text : `${text} - ${reason}`);

/** 400 with the platform's standard text. */
export const badRequest = (reason?: string) => new ApiError(400, because('400 Bad request', reason));

/** 400 (or another status) whose message is the given text, like answers of the platform's services. */
export const refused = (message: string, status = 400) => new ApiError(status, message);

/** 401: missing or invalid credentials. */
export const unauthorized = (reason?: string) => new ApiError(401, because('401 Unauthorized', reason));

/** 403: authenticated, but not allowed. */
export const forbidden = (reason?: string) => new ApiError(403, because('403 Forbidden', reason));

/** 404; `what` names the resource ("Project", "Commit"); without it, the generic text. */
export const notFound = (what?: string) =>
  new ApiError(404, what === undefined ? '404 Not Found' : `404 ${what} Not Found`);

/** 404 with the text of a failed record lookup (lower-case f). */
export const recordNotFound = () => new ApiError(404, '404 Not found');

/** 409 with the given text. */
export const conflict = (message = '409 Conflict') => new ApiError(409, message);

/** 400 for an invalid parameter; the text is also the value of `error`. */
export const invalidParameter = (text: string) => new ApiError(400, text, { error: text });

/** 400 (or 422) for a model that fails validation: a sentence as `message`, the texts by field under `errors`. */
export function invalidModel(errors: FieldErrors, status = 400): ApiError {
  const sentence = Object.entries(errors)
    .flatMap(([field, texts]) => texts.map((text) => (field === 'base' ? text : `${field} ${text}`)))
    .join(', ');
  return new ApiError(status, sentence, { errors });
}
