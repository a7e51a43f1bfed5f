import type { Config } from '../config/config.ts';

type Settings = Pick<Config, 'sshPort' | 'sshExternal'>;

/** The port that addresses without one mean. */
const SSH = 22;

/**
 * Where clients of SSH come in.
 * @param base of web addresses, whose host it is unless a setting names one
 */
export const sshEndpoint = ({ sshPort, sshExternal }: Settings, base: string): { host: string; port: number } =>
  sshExternal ?? { host: new URL(base).hostname, port: sshPort ?? SSH };

/**
 * Address of a repository for git over SSH: short where no port has to be named.
 * @param base of web addresses
 * @param path of the repository, with `.git`
 */
export function sshAddress(settings: Settings, base: string, path: string): string {
  const { host, port } = sshEndpoint(settings, base);
  return port === SSH ? `git@${host}:${path}` : `ssh://git@${host}:${port}/${path}`;
}
