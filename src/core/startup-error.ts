/** A user error of a command; the message is one line for the person who started it. */
export class StartupError extends Error {
  override name = 'StartupError';
}
