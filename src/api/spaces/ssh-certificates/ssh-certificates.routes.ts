import { Type } from 'typebox';
import { forbidden } from '../../../core/core.errors.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import { route } from '../../../http/http.route.ts';
import { pagination } from '../../../http/http.schema.ts';
import { inGroup, requireUser } from '../../api.access.ts';
import { GroupSshCertificate } from './ssh-certificates.responses.ts';
import { presentCertificate } from './ssh-certificates.views.ts';
import { addCertificate, removeCertificate } from './ssh-certificates.writes.ts';

const path = '/groups/:id/ssh_certificates';

/** Certificate authorities belong to top-level groups. @throws ApiError 403 */
function requireTop({ parent_id }: Namespace): void {
  if (parent_id !== null) throw forbidden('Group');
}

/** Certificate authorities for SSH access to projects of a group (part 2, section 4.8). */
export const sshCertificateRoutes = [
  route({
    method: 'GET',
    path,
    plan: 'premium',
    summary: 'List the SSH certificates of a top-level group',
    access: inGroup('read_group_ssh_certificates'),
    input: Type.Object(pagination),
    success: { status: 200, schema: Type.Array(GroupSshCertificate) },
    handler: (c) => {
      requireTop(c.group);
      const query = c.deps.db
        .selectFrom('group_ssh_certificates')
        .selectAll()
        .where('group_id', '=', c.group.id)
        .orderBy('id');
      return c.page(query, (rows) => rows.map(presentCertificate));
    },
  }),
  route({
    method: 'POST',
    path,
    plan: 'premium',
    summary: 'Add an SSH certificate to a top-level group',
    description:
      'The key is a certificate authority: members of the group can use certificates signed by it (`ssh-keygen -s <key> -I <user name> -n git <public key>`) for SSH access to projects of the group only.',
    access: inGroup('admin_group_ssh_certificates'),
    input: Type.Object({
      title: Type.String({ description: 'Title; at most 256 characters.', examples: ['Office CA'] }),
      key: Type.String({
        description: 'Public key of the certificate authority, one line. Unique across groups.',
        examples: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEYY5VCsBZYOixUfEKM3p2Y/aYZ1RizlwzpfsXMk5YKp'],
      }),
    }),
    success: { status: 201, schema: GroupSshCertificate },
    errors: [422],
    handler: async ({ deps, caller, group, input }) => {
      requireTop(group);
      return presentCertificate(await addCertificate(deps, requireUser(caller), group, input));
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/:certificate_id`,
    plan: 'premium',
    summary: 'Delete an SSH certificate of a top-level group',
    description: 'Certificates signed by the key are no longer accepted.',
    access: inGroup('admin_group_ssh_certificates'),
    params: Type.Object({ certificate_id: Type.Integer({ description: 'Id of the certificate.', examples: [3] }) }),
    success: { status: 204, empty: true },
    handler: async ({ deps, caller, group, params }) => {
      requireTop(group);
      await removeCertificate(deps, requireUser(caller), group, params.certificate_id);
    },
  }),
];
