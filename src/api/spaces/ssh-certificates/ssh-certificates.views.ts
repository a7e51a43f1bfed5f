import type { GroupSshCertificate as Row } from '../../../db/tables/group-ssh-certificates.table.ts';
import type { GroupSshCertificate } from './ssh-certificates.responses.ts';

export const presentCertificate = ({ id, title, key, created_at }: Row): GroupSshCertificate => ({
  id,
  title,
  key,
  created_at,
});
