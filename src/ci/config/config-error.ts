/** A configuration that cannot be made whole. Its message is the one error that its author sees. */
export class ConfigError extends Error {}
