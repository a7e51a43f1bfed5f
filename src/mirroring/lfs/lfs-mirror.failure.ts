/** A failed LFS transfer. The message is shown to users and contains nothing that the other server sent. */
export class LfsFailure extends Error {
  override name = 'LfsFailure';
  /** Whether it concerns a single object, so that others may succeed. */
  readonly single: boolean;

  constructor(message: string, { single = false } = {}) {
    super(message);
    this.single = single;
  }
}

/** Failure for an unsuccessful HTTP status. */
export function statusFailure(status: number, { single = false } = {}): LfsFailure {
  if (status === 401 || status === 403) return new LfsFailure('The remote server refused access.', { single });
  if (status === 404 || status === 410) {
    const text = single ? 'Not found on the remote server.' : 'The remote server has no LFS for this repository.';
    return new LfsFailure(text, { single });
  }
  if (status >= 300 && status < 400) {
    return new LfsFailure('The remote server answered with a redirect, which is not followed.', { single });
  }
  return new LfsFailure(`The remote server answered with status ${status}.`, { single });
}
