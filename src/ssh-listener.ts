import type { Deps } from './deps.ts';
import type { Admit } from './git-server/ssh/run-command.ts';
import type { SshServer } from './git-server/ssh/ssh-server.server.ts';

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
