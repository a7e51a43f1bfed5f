/** Names of files that hold secrets, as the platform documents them: what ssh, AWS and shells call theirs. */
const SECRETS: readonly RegExp[] = [
  /aws\/credentials$/,
  /(?:ssh|config)\/(?:personal|server)_(?:rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)$/,
  /(?:^|[^A-Za-z0-9])id_(?:rsa|dsa|ed25519|ecdsa|ecdsa_sk|ed25519_sk)$/,
  /\.(?:pem|key)$/,
  /[._]history$/,
];

/** The pattern of names of files with secrets that a path fits; null for none. */
export const secretPattern = (path: string): string | null =>
  SECRETS.find((pattern) => pattern.test(path))?.source.replaceAll('\\/', '/') ?? null;
