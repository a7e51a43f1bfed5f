import type { Config } from '../config/config.ts';

type Settings = Pick<Config, 'sshPort' | 'sshExternal'>;

/** Default port of SSH. */
const SSH = 22;

/**
 * Public host and port of the SSH server.
 * @param base external URL, whose host applies unless a setting overrides it
 */
export const sshEndpoint = ({ sshPort, sshExternal }: Settings, base: string): { host: string; port: number } =>
  sshExternal ?? { host: new URL(base).hostname, port: sshPort ?? SSH };

/**
 * SSH address of a repository, in short form on the default port.
 * @param base external URL
 * @param path of the repository, with `.git`
 */
export function sshAddress(settings: Settings, base: string, path: string): string {
  const { host, port } = sshEndpoint(settings, base);
  return port === SSH ? `git@${host}:${path}` : `ssh://git@${host}:${port}/${path}`;
}
