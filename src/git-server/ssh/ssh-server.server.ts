import { type AddressInfo, createServer, type Socket } from 'node:net';
import { CertificateRefused, callerOfCertificate } from '../../access/certificate-caller.ts';
import { callerOfKey, recordKeyUse } from '../../access/key-caller.ts';
import { addressList } from '../../core/address-list.ts';
import { addressKey } from '../../core/fair-slots.ts';
import { isCertificate } from '../../core/ssh-certificate.ts';
import type { Deps } from '../../deps.ts';
import { loadHostKeys, publicKeyLine } from './host-keys.ts';
import type { OfferedKey } from './protocol/authentication.ts';
import { SshError } from './protocol/numbers.ts';
import { Connection } from './protocol/ssh.connection.ts';
import { addressBehind } from './proxy-header.ts';
import { type Admit, runCommand, type SshClient } from './run-command.ts';
import { KeyedCounter, LIMITS, type SshLimits } from './ssh-server.limits.ts';

/** SSH's share of the server's connections, and the share of one address in those. */
const SHARE = 0.25;
const SHARE_OF_ADDRESS = 0.75;
/** Login name of all users. */
const LOGIN = 'git';
const STOPPING = 'server is shutting down';

/** The SSH server. */
export interface SshServer {
  port: number;
  /** Fingerprints of the host keys with their algorithms. */
  fingerprints: string[];
  /** Stops accepting connections. @returns once all running commands have ended */
  drain(): Promise<void>;
  /** Closes all connections; others are accepted. */
  disconnect(): void;
  /** Closes the remaining connections. */
  close(): void;
}

/**
 * Serves git over SSH.
 * @param host address to listen on
 * @param port 0 for a free port
 * @param admit null to admit everything
 * @throws StartupError for invalid host keys, or the system error if it cannot listen
 */
export async function serveSsh(
  deps: Deps,
  host: string,
  port: number,
  limits: SshLimits = LIMITS,
  admit: Admit | null = null,
): Promise<SshServer> {
  const hostKeys = await loadHostKeys(deps.config.dataDir);
  const connections = new Map<Connection<SshClient>, Socket>();
  const strangers = new KeyedCounter();
  /** Unauthenticated connections, oldest first. */
  const unknown = new Set<Connection<SshClient>>();
  const all = new KeyedCounter();
  const max = Math.max(1, Math.floor(deps.config.limits.connections * SHARE));
  let drained: (() => void) | undefined;

  const isProxy = addressList(deps.config.sshTrustedProxies);
  /** Connections of proxies before their header. */
  const unnamed = new Set<Socket>();

  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) void takeProxied(socket, address);
    else take(socket, address);
  });

  async function takeProxied(socket: Socket, proxy: string): Promise<void> {
    socket.on('error', () => {});
    if (unnamed.size >= limits.strangers || unnamed.size + all.all >= max) {
      socket.destroy();
      return;
    }
    unnamed.add(socket);
    try {
      const address = (await addressBehind(socket, limits.proxyMs)) ?? proxy;
      if (!server.listening || socket.destroyed) socket.destroy();
      else take(socket, address);
    } catch (error) {
      socket.destroy();
      logEnd(deps, new SshError((error as Error).message), proxy);
    } finally {
      unnamed.delete(socket);
    }
  }

  function take(socket: Socket, address: string): void {
    const key = addressKey(address);
    if (isCrowded(key)) {
      socket.destroy();
      return;
    }
    // The oldest unauthenticated connection is evicted, so that idle clients cannot block others.
    const [oldest] = unknown;
    if (strangers.all >= limits.strangers && oldest !== undefined) {
      const held = connections.get(oldest);
      oldest.end('too many unauthenticated connections');
      held?.destroy();
    }
    const notStranger = strangers.add(key);
    const known = () => {
      notStranger();
      unknown.delete(connection);
    };
    const gone = all.add(key);
    const connection: Connection<SshClient> = new Connection(
      socket,
      { hostKeys, mayRekey: () => mayRekey(key) },
      {
        find: async (shown) => {
          const end = await admit?.();
          return findClient(deps, shown, address).finally(end);
        },
        signedIn: (client) => {
          clearTimeout(timer);
          known();
          void noteUse(deps, client, admit, () => connections.has(connection));
        },
        run: (client, command) => void runCommand(deps, client, command, admit),
        closed: (why) => {
          clearTimeout(timer);
          known();
          gone();
          connections.delete(connection);
          if (why !== null) logEnd(deps, why, address);
          if (connections.size === 0) drained?.();
        },
      },
    );
    connections.set(connection, socket);
    unknown.add(connection);
    const timer = setTimeout(() => connection.end('authentication timed out'), limits.loginMs).unref();
  }

  function isCrowded(key: string): boolean {
    if (strangers.of(key) >= limits.strangersOfAddress) return true;
    if (all.all >= max || all.of(key) >= Math.ceil(max * SHARE_OF_ADDRESS)) return true;
    try {
      deps.limiter.check('ssh_connection', key, { requests: limits.perMinute, periodSeconds: 60 });
      return false;
    } catch {
      return true;
    }
  }

  function disconnect(why: string): void {
    for (const [connection, socket] of connections) {
      connection.end(why);
      socket.destroy();
    }
  }

  const mayRekey = (key: string): boolean =>
    deps.limiter.allows('ssh_rekey', key, { requests: limits.rekeysPerMinute, periodSeconds: 60 });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  // Raised if a connection cannot be accepted for lack of file descriptors or memory.
  server.on('error', (error) =>
    deps.log.log('warn', 'an SSH connection could not be accepted', { error: String(error) }),
  );
  return {
    port: (server.address() as AddressInfo).port,
    fingerprints: hostKeys.map(publicKeyLine),
    drain: () => {
      server.close();
      return new Promise((resolve) => {
        drained = resolve;
        for (const connection of connections.keys()) connection.drain(STOPPING);
        if (connections.size === 0) resolve();
      });
    },
    disconnect: () => disconnect('connections are closed'),
    close: () => {
      server.close();
      for (const socket of unnamed) socket.destroy();
      disconnect(STOPPING);
    },
  };
}

async function findClient(deps: Deps, { user, blob }: OfferedKey, address: string): Promise<SshClient | undefined> {
  if (user !== LOGIN) return undefined;
  try {
    const caller = isCertificate(blob) ? await callerOfCertificate(deps, blob, address) : await callerOfKey(deps, blob);
    return caller && { caller, address };
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error;
    deps.log.log('info', 'an SSH certificate was refused', { remote_ip: address, reason: error.message });
    return undefined;
  }
}

/** @param isThere whether the connection still is */
async function noteUse(deps: Deps, { caller }: SshClient, admit: Admit | null, isThere: () => boolean): Promise<void> {
  try {
    const end = await admit?.();
    if (isThere()) await recordKeyUse(deps, caller).finally(end);
    else end?.();
  } catch (error) {
    deps.log.log('warn', 'the last use of an SSH key could not be recorded', { error: String(error) });
  }
}

function logEnd(deps: Deps, why: unknown, address: string): void {
  const fields = { remote_ip: address, error: why instanceof Error ? why.message : String(why) };
  if (why instanceof SshError) deps.log.log('info', 'an SSH connection was ended', fields);
  else deps.log.log('error', 'an SSH connection failed', { ...fields, stack: (why as Error).stack });
}
