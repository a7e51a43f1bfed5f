/** What is wrong with a configuration as a whole; the first such thing ends the look at it. The message is for its writer. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
