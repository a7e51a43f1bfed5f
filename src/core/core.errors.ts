/** Field name -> what is wrong with it, as the platform's model validations say it. */
export type FieldErrors = Record<string, string[]>;

/**
 * An answer that is not a success, made where the rule is. `message` goes to the client as it stands, so it
 * never holds paths, SQL, stacks or secrets. Serves part 1, section 7.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  /** Further keys of the body, beside `message`. */
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

/** 400 (or another status) whose message is the text itself, as services of the platform answer. */
export const refused = (message: string, status = 400) => new ApiError(status, message);

/** 401: no or invalid credentials. */
export const unauthorized = (reason?: string) => new ApiError(401, because('401 Unauthorized', reason));

/** 403: known, but not allowed. */
export const forbidden = (reason?: string) => new ApiError(403, because('403 Forbidden', reason));

/** 404; `what` names the resource ("Project", "Commit"), absent for the bare text. */
export const notFound = (what?: string) =>
  new ApiError(404, what === undefined ? '404 Not Found' : `404 ${what} Not Found`);

/** 404 in the words of a failed record look-up (with a lower-case f). */
export const recordNotFound = () => new ApiError(404, '404 Not found');

/** 409 with the given text. */
export const conflict = (message = '409 Conflict') => new ApiError(409, message);

/** 400 of a parameter that does not fit its description; the text stands under `error` too. */
export const invalidParameter = (text: string) => new ApiError(400, text, { error: text });

/** 400 (or 422) of a model that does not validate: a sentence as `message`, the texts by field under `errors`. */
export function invalidModel(errors: FieldErrors, status = 400): ApiError {
  const sentence = Object.entries(errors)
    .flatMap(([field, texts]) => texts.map((text) => (field === 'base' ? text : `${field} ${text}`)))
    .join(', ');
  return new ApiError(status, sentence, { errors });
}
