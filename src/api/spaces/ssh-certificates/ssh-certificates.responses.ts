import { type Static, Type } from 'typebox';
import { Instant } from '../../../http/http.schema.ts';

/** A certificate authority for SSH access to projects of a group (part 2, section 4.8). */
export const GroupSshCertificate = Type.Object({
  id: Type.Integer(),
  title: Type.String(),
  key: Type.String({
    description: 'Public key of the certificate authority, without a comment.',
    examples: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEYY5VCsBZYOixUfEKM3p2Y/aYZ1RizlwzpfsXMk5YKp'],
  }),
  created_at: Instant(),
});
export type GroupSshCertificate = Static<typeof GroupSshCertificate>;
