import { BlockList, isIP } from 'node:net';
import { sql } from 'kysely';
import { today } from '../core/clock.ts';
import { type Certificate, readCertificate } from '../core/ssh-certificate.ts';
import { SshReader } from '../core/ssh-fields.ts';
import { verifySshSignature } from '../core/ssh-verify.ts';
import { asciiLower } from '../db/like.ts';
import type { GroupSshCertificate } from '../db/tables/group-ssh-certificates.table.ts';
import type { User } from '../db/tables/users.table.ts';
import type { Deps } from '../deps.ts';
import { groupMembership, hasProjectInside } from './access.membership.ts';
import { effectivePlan, includesPlan } from './access.plan.ts';
import type { Caller } from './caller.ts';
import { fingerprintOf, usedKeyOf } from './key-caller.ts';

/** The SSH login name, which a certificate may therefore list as principal. */
const LOGIN = 'git';
const SECOND = 1_000n;

/** The reason why a certificate is refused, for the log. */
export class CertificateRefused extends Error {
  override name = 'CertificateRefused';
}

/**
 * Returns the user of a certificate: a member of the group whose authority signed it.
 * @param blob the certificate in wire format
 * @param address address of the client
 * @throws CertificateRefused with the reason
 */
export async function callerOfCertificate(deps: Deps, blob: Buffer, address: string): Promise<Caller> {
  const certificate = read(blob);
  const authority = await findAuthority(deps, certificate);
  requireGood(deps, certificate, address);
  if ((await usedKeyOf(deps, certificate.key)) === undefined)
    throw new CertificateRefused('its key is not allowed by the settings');
  const user = await findUser(deps, certificate);
  const validBefore = endOf(certificate);
  const credential = {
    kind: 'ssh_certificate',
    authorityId: authority.id,
    groupId: authority.group_id,
    validBefore,
  } as const;
  const caller: Caller = { user, admin: false, scopes: null, credential, sudoBy: null };
  if (!(await isCertificateValid(deps, credential, user.id))) {
    throw new CertificateRefused(`${user.username} is not a member of the group`);
  }
  return caller;
}

/** The facts of a certificate that are checked again later. */
export interface CertificateUse {
  authorityId: number;
  /** The group whose projects, and those of its subgroups, it opens. */
  groupId: number;
  /** Expiry in milliseconds. */
  validBefore: number;
}

/**
 * Whether a certificate is still valid: the group still has the authority, the certificate has not expired, and the
 * user is still a member.
 */
export async function isCertificateValid(deps: Deps, use: CertificateUse, userId: number): Promise<boolean> {
  const { db, clock } = deps;
  if (use.validBefore <= clock.now().getTime() || !includesPlan(await effectivePlan(deps), 'premium')) return false;
  const group = await db
    .selectFrom('namespaces')
    .innerJoin('group_ssh_certificates as a', 'a.group_id', 'namespaces.id')
    .selectAll('namespaces')
    .where('a.id', '=', use.authorityId)
    .where('namespaces.id', '=', use.groupId)
    .where('namespaces.parent_id', 'is', null)
    .executeTakeFirst();
  if (group === undefined) return false;
  const day = today(clock);
  return (await groupMembership(db, group, userId, day)).level > 0 || hasProjectInside(db, group, userId, day);
}

function read(blob: Buffer): Certificate {
  try {
    return readCertificate(blob);
  } catch (error) {
    if (error instanceof RangeError) throw new CertificateRefused(error.message);
    throw error;
  }
}

async function findAuthority({ db }: Deps, certificate: Certificate): Promise<GroupSshCertificate> {
  const { authority, signature, signed, key } = certificate;
  const fingerprint = fingerprintOf(authority);
  const row = await db
    .selectFrom('group_ssh_certificates')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirstOrThrow(() => new CertificateRefused('its authority belongs to no group'));
  if (!verifySshSignature(authority, signature, signed)) throw new CertificateRefused('its signature is invalid');
  if (key.equals(authority)) throw new CertificateRefused('it certifies the key of its own authority');
  return row;
}

/** @throws CertificateRefused */
function requireGood({ clock }: Deps, certificate: Certificate, address: string): void {
  const { kind, validAfter, validBefore, criticalOptions } = certificate;
  if (kind !== 'user') throw new CertificateRefused('it is not a user certificate');
  const now = BigInt(clock.now().getTime());
  if (now < validAfter * SECOND) throw new CertificateRefused('it is not valid yet');
  if (now >= validBefore * SECOND) throw new CertificateRefused('it has expired');
  for (const [name, value] of criticalOptions) {
    if (name !== 'source-address')
      throw new CertificateRefused(`it has the unsupported critical option ${name.slice(0, 100)}`);
    if (!isFrom(address, value)) throw new CertificateRefused('it is not valid for this address');
  }
}

/** Whether an address is in a list of addresses and networks separated by commas; false if an entry is malformed. */
function isFrom(address: string, value: Buffer): boolean {
  const family = (text: string) => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  const list = new BlockList();
  try {
    const reader = new SshReader(value);
    for (const each of reader.text().split(',')) {
      const [network = '', bits] = each.trim().split('/');
      if (isIP(network) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return false;
      if (bits === undefined) list.addAddress(network, family(network));
      else list.addSubnet(network, Number(bits), family(network));
    }
    return reader.ended && list.check(address, family(address));
  } catch {
    return false;
  }
}

/** Expiry in milliseconds; the largest date if it never expires. */
const endOf = ({ validBefore }: Certificate): number => {
  const end = validBefore * SECOND;
  return end > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(end);
};

/**
 * The user of a certificate. Its key id is their username or primary email address. If the key id names no user, the
 * single principal is the username.
 */
async function findUser(deps: Deps, { keyId, principals }: Certificate): Promise<User> {
  const others = principals.filter((name) => name !== LOGIN);
  const named = await userNamed(deps, keyId);
  if (named !== undefined) {
    const fits =
      principals.length !== others.length ||
      principals.length === 0 ||
      others.some((name) => asciiLower(name) === asciiLower(named.username));
    if (!fits) throw new CertificateRefused('its principals include neither git nor the username');
    return requireActive(named);
  }
  const [only] = others;
  const user = others.length === 1 && only !== undefined ? await userNamed(deps, only) : undefined;
  if (user === undefined) throw new CertificateRefused('it names no user');
  return requireActive(user);
}

function requireActive(user: User): User {
  if (user.state !== 'active') throw new CertificateRefused(`${user.username} may not sign in`);
  return user;
}

async function userNamed({ db }: Deps, name: string): Promise<User | undefined> {
  if (name === '' || name.length > 255) return undefined;
  const column = name.includes('@') ? 'email' : 'username';
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where(sql<string>`lower(${sql.ref(column)})`, '=', asciiLower(name))
    .executeTakeFirst();
  return user?.kind === 'human' || user?.kind === 'service_account' ? user : undefined;
}
