/** Why LFS objects did not come over or go there; the message is shown, and holds nothing that the other server sent. */
export class LfsFailure extends Error {
  override name = 'LfsFailure';
  /** Whether it is about one object alone, so that others may well succeed. */
  readonly single: boolean;

  constructor(message: string, { single = false } = {}) {
    super(message);
    this.single = single;
  }
}

/** What an answer that is no success means. */
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
