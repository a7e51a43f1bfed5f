import { forEachWithConcurrency } from '../../core/concurrency.ts';
import type { Db } from '../../db/db.schema.ts';
import { type CommitSignature, extractSignature } from '../../git/history/index.ts';
import { parseCommit } from '../../git/objects/index.ts';
import type { CommitObject } from '../../git/transport/index.ts';
import { checkSignature } from '../signatures/check.ts';
import { KnownKeys } from '../signatures/known-keys.ts';

/** Number of signatures of one push checked concurrently: half of the thread pool, which also serves files. */
const CONCURRENCY = 2;

/** A signature for each distinct signer: the same key and address. */
interface Sample {
  oid: string;
  signature: CommitSignature;
  email: string;
}

/** Checks that commits have verified signatures by registered keys. */
export class SignatureRule {
  readonly #keys: KnownKeys;
  readonly #samples = new Map<string, Sample>();

  constructor(db: Db) {
    this.#keys = new KnownKeys(db);
  }

  /** Returns the refusal of the first commit without a verified signature, or null. */
  async refuse(commits: readonly CommitObject[]): Promise<string | null> {
    const reasons = new Map<number, string>();
    // After a refusal, only the commits before it are still checked.
    await forEachWithConcurrency(commits.keys(), CONCURRENCY, null, async (at) => {
      const reason = reasons.size === 0 ? await this.#refuseOne(commits[at]!) : null;
      if (reason !== null) reasons.set(at, reason);
    });
    return reasons.size === 0 ? null : reasons.get(Math.min(...reasons.keys()))!;
  }

  async #refuseOne({ oid, data }: CommitObject): Promise<string | null> {
    if (data === null) return `Commit ${oid.slice(0, 8)} is too large for its signature to be checked`;
    const signature = extractSignature(data, oid.length === 64 ? 'sha256' : 'sha1');
    if (signature === null) return `Commit must be signed with a GPG or SSH key: ${oid.slice(0, 8)} is not`;
    const { email } = parseCommit(oid, data).committer;
    return this.#look(this.#keys, { oid, signature, email });
  }

  /** Checks verified signatures again with the current keys and addresses. @param db the handle of the transaction */
  async stillVerified(db: Db): Promise<string | null> {
    const keys = new KnownKeys(db);
    for (const sample of this.#samples.values()) {
      const reason = await this.#look(keys, sample);
      if (reason !== null) return reason;
    }
    return null;
  }

  async #look(keys: KnownKeys, sample: Sample): Promise<string | null> {
    const { oid, signature, email } = sample;
    const verdict = await checkSignature(keys, signature, email);
    if (verdict.verification_status !== 'verified') {
      return `Commit must be signed with a GPG or SSH key of its committer: the signature of ${oid.slice(0, 8)} is not verified (${verdict.verification_status})`;
    }
    if (verdict.signature_type === 'SSH') this.#samples.set(`ssh ${verdict.key!.id} ${email}`, sample);
    if (verdict.signature_type === 'PGP') {
      this.#samples.set(`pgp ${verdict.gpg_key_id} ${verdict.gpg_key_subkey_id} ${email}`, sample);
    }
    return null;
  }
}
