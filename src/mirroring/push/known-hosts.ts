import { hash } from 'node:crypto';

/** Fingerprints of the keys in `known_hosts` lines, in the format of `ssh-keygen -l`. */
export function hostKeyFingerprints(knownHosts: string | null): string[] {
  const keys = (knownHosts ?? '').split('\n').flatMap((line) => line.trim().split(/\s+/)[2] ?? []);
  return keys.map((key) => {
    const digest = hash('sha256', Buffer.from(key, 'base64'), 'base64');
    return `SHA256:${digest.replace(/=+$/, '')}`;
  });
}
