import { encodePacket, FLUSH } from './packet-line.ts';
import { protocolEnvironment, protocolVersion, type RepositoryPath, type Service, serviceConfig } from './service.ts';
import { startSession, type TransportOptions, type TransportSession } from './session.ts';

/**
 * The response to `GET <repository>/info/refs?service=git-<service>`: git's capabilities and, before protocol version
 * 2, every ref. Pushes never use version 2, so a request for it gets version 0.
 * @param repository repository to advertise
 * @param service half of the protocol
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
