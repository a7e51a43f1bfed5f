import type { Readable } from 'node:stream';
import { GitError } from '../common/index.ts';
import { CommandCount } from './command-count.ts';
import {
  answerQuestion,
  HOOK_PIPES,
  type HookPipes,
  hookPipes,
  readCommands,
  readQuestion,
  reportResults,
} from './hook-bridge.ts';
import { MAX_UNPACKED_BYTES, receiveOfUnknownSize } from './large-push.ts';
import { quarantinedFolders, quarantineEnvironment, syncObjectFolders } from './quarantine.ts';
import { QuarantineIndexer } from './quarantine-indexer.ts';
import { refusalOfPush } from './refusal.ts';
import { protocolEnvironment, type RepositoryPath, serviceConfig } from './service.ts';
import { type SessionTask, startSession, type TransportOptions, type TransportSession } from './session.ts';
import type { MoveRefs, PushCommands, PushedRef, ReceivePush } from './transport.push.ts';

export interface ReceiveOptions extends TransportOptions {
  receive: ReceivePush;
  /** Maximum pack size in bytes; a larger one is refused with git's own text. */
  maxInputBytes: number;
  /** Maximum number of refs; above it a push is refused before the rest is read. */
  maxRefs: number;
  /** Size of the input in bytes, if known. */
  inputBytes?: number | undefined;
}

/** Maximum size of the data before the pack: commands, push options, and a certificate. */
const COMMANDS_BYTES = 32 * 1024 * 1024;

/** Message for the client after an internal error. Details are in `done`. */
const INTERNAL = 'internal server error';

interface Accepted {
  push: PushCommands;
  move: MoveRefs;
  /** Folders of `objects/` that git moves the pushed objects into. */
  folders: string[];
}

function sameUpdate(left: PushedRef, right: PushedRef): boolean {
  return left.ref === right.ref && left.old === right.old && left.new === right.new;
}

async function askCheck(
  repository: RepositoryPath,
  pipes: HookPipes,
  index: QuarantineIndexer,
  options: ReceiveOptions,
  work: SessionTask,
): Promise<Accepted | null> {
  try {
    const question = await readQuestion(pipes);
    await index.settle(question?.quarantine);
    if (question === null) return null;
    const { quarantine, pushOptions, updates } = question;
    const folders = await quarantinedFolders(quarantine);
    const quarantineEnv = Object.freeze(quarantineEnvironment(repository, quarantine));
    const push = Object.freeze({ updates, pushOptions, quarantineEnv });
    const verdict = await work(() => options.receive(push));
    answerQuestion(pipes, verdict.ok, verdict.message);
    return verdict.ok ? { push, move: verdict.move, folders } : null;
  } catch (error) {
    const refused = error instanceof GitError && error.code === 'invalid';
    answerQuestion(pipes, false, refused ? 'the push contains too many refs or an invalid ref name' : INTERNAL);
    throw error;
  }
}

async function moveRefs(
  repository: RepositoryPath,
  pipes: HookPipes,
  { push, move, folders }: Accepted,
  work: SessionTask,
): Promise<void> {
  const commands = await readCommands(pipes);
  if (commands === null) return;
  const { updates, atomic } = commands;
  const refuse = (reason: string) =>
    reportResults(
      pipes,
      updates,
      updates.map(() => reason),
    );
  const checked = new Map(push.updates.map((update) => [update.ref, update]));
  const known = updates.every((update) => {
    const asked = checked.get(update.ref);
    return asked !== undefined && sameUpdate(asked, update);
  });
  if (!known) return refuse('the push differs from the one that was checked');
  // Git only passes on refs that it has not refused itself, even for an atomic push.
  if (atomic && updates.length < push.updates.length) return refuse('atomic push failure');
  try {
    const { reasons, message } = await work(async () => {
      await syncObjectFolders(repository, folders);
      return move(updates, atomic);
    });
    await reportResults(pipes, updates, reasons, message);
  } catch (error) {
    await refuse(INTERNAL);
    throw error;
  }
}

/** How git runs: whether it advertises the refs first, and whether it keeps small packs. */
interface Mode {
  stateless: boolean;
  keepsPack: boolean;
}

function start(
  repository: RepositoryPath,
  input: Readable,
  options: ReceiveOptions,
  { stateless, keepsPack }: Mode,
): Promise<TransportSession> {
  const count = new CommandCount(options.maxRefs);
  const tooMany = `A push can change at most ${options.maxRefs} refs. Push them in several parts.`;
  const limit = ['-c', `receive.maxInputSize=${options.maxInputBytes}`];
  const unpacking = keepsPack ? ['-c', 'receive.unpackLimit=1'] : [];
  const way = stateless ? ['--stateless-rpc'] : [];
  return startSession(
    {
      args: [...serviceConfig('receive-pack'), ...limit, ...unpacking, 'receive-pack', ...way, '.'],
      gitDir: repository.dir,
      env: protocolEnvironment(options.protocol),
      input,
      maxInputBytes: options.maxInputBytes + COMMANDS_BYTES,
      look: (chunk) => (count.take(chunk) ? null : refusalOfPush(count.capabilities, tooMany)),
      extraPipes: HOOK_PIPES,
      keepsQuarantine: true,
      serve: async (descriptors, work) => {
        const pipes = hookPipes(descriptors);
        const index = new QuarantineIndexer(repository.dir);
        let accepted: Accepted | null = null;
        try {
          accepted = await askCheck(repository, pipes, index, options, work);
          if (accepted) await moveRefs(repository, pipes, accepted, work);
        } finally {
          if (accepted === null) index.cancel();
          await index.settle();
          index.close();
        }
      },
    },
    options,
  );
}

/**
 * A push: `POST <repository>/git-receive-pack`, or a whole SSH session. Git receives the objects into quarantine and
 * checks them; this process decides (`receive`) and moves the refs. Git moves none, so nothing moves after this process
 * has ended.
 * @param repository repository to write
 * @param input decoded request body
 * @param options decision, and maximum pack size in bytes
 * @throws GitError `failed` if git fails without an answer of its own, `busy`, `timeout`, `aborted`
 */
export function receivePack(
  repository: RepositoryPath,
  input: Readable,
  options: ReceiveOptions,
): Promise<TransportSession> {
  if (options.stateless !== false) {
    const keepsPack = (options.inputBytes ?? Number.POSITIVE_INFINITY) > MAX_UNPACKED_BYTES;
    return start(repository, input, options, { stateless: true, keepsPack });
  }
  return receiveOfUnknownSize(
    input,
    (from, signal) => start(repository, from, { ...options, signal }, { stateless: false, keepsPack: false }),
    (from, signal) => start(repository, from, { ...options, signal }, { stateless: true, keepsPack: true }),
    options.signal,
  );
}
