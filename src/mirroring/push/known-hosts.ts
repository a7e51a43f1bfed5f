import { hash } from 'node:crypto';

/** The fingerprints of the keys in lines of `known_hosts`, as `ssh-keygen -l` prints them. */
export function hostKeyFingerprints(knownHosts: string | null): string[] {
  const keys = (knownHosts ?? '').split('\n').flatMap((line) => line.trim().split(/\s+/)[2] ?? []);
  return keys.map((key) => {
    const digest = hash('sha256', Buffer.from(key, 'base64'), 'base64');
    return `SHA256:${digest.replace(/=+$/, '')}`;
  });
}
