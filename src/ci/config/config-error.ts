/** A configuration that cannot be loaded. Its message is shown to the author. */
export class ConfigError extends Error {}
