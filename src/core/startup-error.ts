/** Why a command of the program cannot do its work as things are; one line for the person who started it. */
export class StartupError extends Error {
  override name = 'StartupError';
}
