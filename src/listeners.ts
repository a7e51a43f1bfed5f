import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config/config.ts';
import type { Deps } from './deps.ts';
import type { Admit } from './git-server/ssh/run-command.ts';
import type { SshServer } from './git-server/ssh/ssh-server.server.ts';

/**
 * Listens for requests. The port becomes that of the configuration, so that addresses have it.
 * @returns the address, without a trailing slash
 */
export async function listenToHttp(app: FastifyInstance, config: Config): Promise<string> {
  // Fastify would open a server of its own for each further address of localhost, which is none of ours: no limit of
  // connections, cache or test bench belongs to it.
  const address = config.host === 'localhost' ? (await lookup(config.host)).address : config.host;
  await app.listen({ host: address, port: config.port });
  config.port = (app.server.address() as AddressInfo).port;
  return urlOf(config);
}

/** Addresses that stand for all of a machine, with the one at which itself finds the server. */
const LOOPBACKS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The URL of a server where clients of the same machine find it, without a trailing slash. */
export function urlOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const address = LOOPBACKS[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/**
 * Serves git over SSH if it is enabled. The SSH server's code is loaded only then.
 * @param admit as for `serveSsh`
 */
export async function listenToSsh(deps: Deps, admit: Admit | null = null): Promise<SshServer | null> {
  const { config } = deps;
  if (config.sshPort === null) return null;
  const { serveSsh } = await import('./git-server/ssh/ssh-server.server.ts');
  const ssh = await serveSsh(deps, config.host, config.sshPort, undefined, admit);
  config.sshPort = ssh.port;
  return ssh;
}
