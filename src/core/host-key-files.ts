/** Types of SSH host keys, in order of preference. */
export const HOST_KEY_KINDS = ['ed25519', 'ecdsa'] as const;
export type HostKeyKind = (typeof HOST_KEY_KINDS)[number];

/** Folder of the host keys in the data folder. */
export const HOST_KEY_FOLDER = 'ssh';
/** File name of a host key, as in OpenSSH. */
export const hostKeyFile = (kind: HostKeyKind): string => `ssh_host_${kind}_key`;
