/** A repository on another server. */
export interface RemoteSource {
  /** `http:`, `https:`, `ssh:` or `git:`, without user and password. */
  url: string;
  /** Addresses that the host's name stands for: nothing else is connected to. */
  addresses: readonly string[];
  user?: { name: string; password: string };
  /** What SSH signs in with in the place of a password: a private key in OpenSSH's format. */
  privateKey?: string;
  /** Keys that the host was known by, as lines of `known_hosts`; a host that is not known yet is trusted, and remembered. */
  hostKeys?: string;
}
