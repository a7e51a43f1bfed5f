/** Names of files that contain secrets, as documented by the platform: files of ssh, AWS and shells. */
const SECRETS: readonly RegExp[] = [
  /aws\/credentials$/,
  /(?:ssh|config)\/(?:personal|server)_(?:rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)$/,
  /(?:^|[^A-Za-z0-9])id_(?:rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)$/,
  /\.(?:pem|key)$/,
  /[._]history$/,
];

/** The pattern of secret file names that a path matches; null for none. */
export const secretPattern = (path: string): string | null =>
  SECRETS.find((pattern) => pattern.test(path))?.source.replaceAll('\\/', '/') ?? null;
