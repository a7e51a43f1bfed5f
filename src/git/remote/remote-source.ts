/** A repository on another server. */
export interface RemoteSource {
  /** `http:`, `https:`, `ssh:` or `git:`, without user and password. */
  url: string;
  /** Resolved addresses of the host. No other address is connected to. */
  addresses: readonly string[];
  user?: { name: string; password: string };
  /** SSH key in OpenSSH format, used instead of a password. */
  privateKey?: string;
  /** Known host keys as lines of `known_hosts`. An unknown host is trusted on first use. */
  hostKeys?: string;
}
