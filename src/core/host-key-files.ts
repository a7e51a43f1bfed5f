/** Kinds of keys by which SSH clients know the server, the best first. */
export const HOST_KEY_KINDS = ['ed25519', 'ecdsa'] as const;
export type HostKeyKind = (typeof HOST_KEY_KINDS)[number];

/** Where they lie within the data folder. */
export const HOST_KEY_FOLDER = 'ssh';
/** Name of the file of a kind there, as OpenSSH calls it. */
export const hostKeyFile = (kind: HostKeyKind): string => `ssh_host_${kind}_key`;
