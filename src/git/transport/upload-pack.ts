import type { Readable } from 'node:stream';
import { protocolEnvironment, type RepositoryPath, serviceConfig } from './service.ts';
import { startSession, type TransportOptions, type TransportSession } from './session.ts';

/** Wants and haves are text: a negotiation over a very long history is a few megabytes. */
const MAX_NEGOTIATION = 32 * 1024 * 1024;

/**
 * One round of a fetch or clone: `POST <repository>/git-upload-pack`, or a whole SSH session.
 * @param repository the repository to read
 * @param input the decoded body of the request
 * @param options see {@link TransportOptions}
 * @throws GitError `failed` when git refuses without an answer of its own, `invalid` for too long a body, `busy`, `timeout`, `aborted`
 */
export function uploadPack(
  repository: RepositoryPath,
  input: Readable,
  options: TransportOptions = {},
): Promise<TransportSession> {
  const stateless = options.stateless === false ? [] : ['--stateless-rpc'];
  return startSession(
    {
      args: [...serviceConfig('upload-pack'), 'upload-pack', ...stateless, '--strict', '.'],
      gitDir: repository.dir,
      env: protocolEnvironment(options.protocol),
      input,
      maxInputBytes: MAX_NEGOTIATION,
    },
    options,
  );
}
