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
import { effectivePlan, holds } from './access.plan.ts';
import type { Caller } from './caller.ts';
import { fingerprintOf, usedKeyOf } from './key-caller.ts';

/** As whom everybody signs in, and so what a certificate may name. */
const LOGIN = 'git';
const SECOND = 1_000n;

/** Why a certificate opens nothing, for the log. */
export class CertificateRefused extends Error {
  override name = 'CertificateRefused';
}

/**
 * Who a certificate stands for: the member of a group whom an authority of that group says it is for.
 * @param blob the certificate as it goes over the wire
 * @param address of the client
 * @throws CertificateRefused with the reason
 */
export async function callerOfCertificate(deps: Deps, blob: Buffer, address: string): Promise<Caller> {
  const certificate = read(blob);
  const authority = await findAuthority(deps, certificate);
  requireGood(deps, certificate, address);
  if ((await usedKeyOf(deps, certificate.key)) === undefined) throw new CertificateRefused('its key is not taken here');
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
    throw new CertificateRefused(`${user.username} is no member of the group`);
  }
  return caller;
}

/** What has to be known of a certificate later. */
export interface CertificateUse {
  authorityId: number;
  /** The group whose projects it opens, with those below. */
  groupId: number;
  /** When it ends, in milliseconds. */
  validBefore: number;
}

/** Whether a certificate still opens something: its authority is the group's, its time lasts, and its user is a member. */
export async function isCertificateValid(deps: Deps, use: CertificateUse, userId: number): Promise<boolean> {
  const { db, clock } = deps;
  if (use.validBefore <= clock.now().getTime() || !holds(await effectivePlan(deps), 'premium')) return false;
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
    .executeTakeFirst();
  if (row === undefined) throw new CertificateRefused('its authority is of no group');
  if (!verifySshSignature(authority, signature, signed)) throw new CertificateRefused('its signature is wrong');
  if (key.equals(authority)) throw new CertificateRefused('it is for the key of the authority itself');
  return row;
}

/** @throws CertificateRefused */
function requireGood({ clock }: Deps, certificate: Certificate, address: string): void {
  const { kind, validAfter, validBefore, criticalOptions } = certificate;
  if (kind !== 'user') throw new CertificateRefused('it is not for a user');
  const now = BigInt(clock.now().getTime());
  if (now < validAfter * SECOND) throw new CertificateRefused('it is not valid yet');
  if (now >= validBefore * SECOND) throw new CertificateRefused('it is not valid any more');
  for (const [name, value] of criticalOptions) {
    if (name !== 'source-address') throw new CertificateRefused(`it asks for ${name.slice(0, 100)}`);
    if (!isFrom(address, value)) throw new CertificateRefused('it is not for this address');
  }
}

/** Whether an address is in a list of addresses and networks, separated by commas; never where one of them is none. */
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

/** When it ends, in milliseconds; what never ends does so at the end of all dates. */
const endOf = ({ validBefore }: Certificate): number => {
  const end = validBefore * SECOND;
  return end > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(end);
};

/**
 * The user whom a certificate is for: its key id is their user name or primary address. Where that names nobody, it is a
 * text of the authority's own, and the one principal is the user name.
 */
async function findUser(deps: Deps, { keyId, principals }: Certificate): Promise<User> {
  const others = principals.filter((name) => name !== LOGIN);
  const named = await userNamed(deps, keyId);
  if (named !== undefined) {
    const fits =
      principals.length !== others.length ||
      principals.length === 0 ||
      others.some((name) => asciiLower(name) === asciiLower(named.username));
    if (!fits) throw new CertificateRefused('its principals are neither git nor its user');
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
