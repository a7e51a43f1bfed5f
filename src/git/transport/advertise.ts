import { encodePacket, FLUSH } from './packet-line.ts';
import { protocolEnvironment, protocolVersion, type RepositoryPath, type Service, serviceConfig } from './service.ts';
import { startSession, type TransportOptions, type TransportSession } from './session.ts';

/**
 * The answer to `GET <repository>/info/refs?service=git-<service>`: what git can do and, before version 2, every ref.
 * A push never speaks version 2, so that a client which asks for it there gets version 0.
 * @param repository the repository to tell about
 * @param service which half of the protocol is asked for
 * @param options `protocol` is the value of the request's `Git-Protocol` header
 * @throws GitError `failed` for a repository git cannot open, `busy`, `timeout`, `aborted`
 */
export async function advertise(
  repository: RepositoryPath,
  service: Service,
  options: TransportOptions = {},
): Promise<TransportSession> {
  const version = protocolVersion(options.protocol);
  const protocol = service === 'receive-pack' && version === 2 ? undefined : options.protocol;
  const session = await startSession(
    {
      args: [...serviceConfig(service), service, '--stateless-rpc', '--http-backend-info-refs', '.'],
      gitDir: repository.dir,
      env: protocolEnvironment(protocol),
      maxInputBytes: 0,
    },
    options,
  );
  if (protocolVersion(protocol) < 2) {
    session.output.unshift(Buffer.concat([encodePacket(`# service=git-${service}\n`), FLUSH]));
  }
  return session;
}
