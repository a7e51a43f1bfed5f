import type { Config } from '../config/config.ts';

/** The port that addresses without one mean. */
const SSH = 22;

/**
 * Address of a repository for git over SSH: short where no port has to be named.
 * @param base of web addresses, whose host it is
 * @param path of the repository, with `.git`
 */
export function sshAddress({ sshPort }: Pick<Config, 'sshPort'>, base: string, path: string): string {
  const { hostname } = new URL(base);
  return sshPort === null || sshPort === SSH ? `git@${hostname}:${path}` : `ssh://git@${hostname}:${sshPort}/${path}`;
}
