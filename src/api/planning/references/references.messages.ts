import type { Repository } from '../../../git/repository/index.ts';

export interface CommitMessage {
  sha: string;
  message: string;
}

/** Messages of the existing commits, in the given order. */
export async function messagesOf(repo: Repository, shas: readonly string[]): Promise<CommitMessage[]> {
  const messages: CommitMessage[] = [];
  for (const sha of shas) {
    const commit = await repo.objects.commit(sha);
    if (commit !== null) messages.push({ sha, message: commit.message });
  }
  return messages;
}
