import { parseSshKey, SshKeyError, type SshPublicKey } from '../core/ssh-key.ts';
import type { ApplicationSettings } from './settings-table.ts';

const FORBIDDEN = -1;
const DAY_MS = 86_400_000;
const KINDS = ['rsa', 'dsa', 'ecdsa', 'ed25519', 'ecdsa_sk', 'ed25519_sk'] as const;
type Kind = (typeof KINDS)[number];
const LIST = new Intl.ListFormat('en', { type: 'disjunction' });

const KIND_OF_TYPE: Readonly<Record<string, Kind>> = {
  'ssh-rsa': 'rsa',
  'ssh-dss': 'dsa',
  'ecdsa-sha2-nistp256': 'ecdsa',
  'ecdsa-sha2-nistp384': 'ecdsa',
  'ecdsa-sha2-nistp521': 'ecdsa',
  'ssh-ed25519': 'ed25519',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ecdsa_sk',
  'sk-ssh-ed25519@openssh.com': 'ed25519_sk',
};

/** Minimum bit length of a key type; DSA keys are always refused. */
const restrictionOf = (settings: ApplicationSettings, kind: Kind): number =>
  kind === 'dsa' ? FORBIDDEN : settings[`${kind}_key_restriction`];

function forbiddenType(settings: ApplicationSettings): string {
  const allowed = KINDS.filter((kind) => restrictionOf(settings, kind) !== FORBIDDEN);
  return `type is forbidden. Must be ${LIST.format(allowed.map((kind) => kind.toUpperCase()))}`;
}

/**
 * Why the settings refuse a key, at upload or sign-in, as a text that follows "key"; null if they accept it.
 * @param key as returned by `parseSshKey`
 */
export function sshKeyProblem(settings: ApplicationSettings, { type, bits }: Pick<SshPublicKey, 'type' | 'bits'>) {
  const kind = KIND_OF_TYPE[type];
  const restriction = kind === undefined ? FORBIDDEN : restrictionOf(settings, kind);
  if (restriction === FORBIDDEN) return forbiddenType(settings);
  return bits < restriction ? `must be at least ${restriction} bits` : null;
}

/** Parses a key that is to be added. @throws SshKeyError for invalid keys and for those that the settings refuse */
export function readSshKey(settings: ApplicationSettings, text: string): SshPublicKey {
  if (text.trimStart().startsWith('ssh-dss ')) throw new SshKeyError(forbiddenType(settings));
  const key = parseSshKey(text);
  const problem = sshKeyProblem(settings, key);
  if (problem !== null) throw new SshKeyError(problem);
  return key;
}

/**
 * Why the settings refuse the expiry of a user's key, as a text that follows "key"; null if they accept it. This also
 * applies to keys that were added before the limit was set: they can no longer sign in.
 */
export function sshKeyLifetimeProblem(
  { max_ssh_key_lifetime: days }: ApplicationSettings,
  key: { created_at: string; expires_at: string | null },
): string | null {
  if (days === null) return null;
  if (key.expires_at === null) {
    return `must have an expiration date, ${days} days from now at the latest`;
  }
  const latest = new Date(key.created_at).getTime() + (days + 1) * DAY_MS;
  return new Date(key.expires_at).getTime() > latest ? `must expire within ${days} days` : null;
}
