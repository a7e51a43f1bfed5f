import type { GroupSshCertificate as Row } from '../../../db/tables/group-ssh-certificates.ts';
import type { GroupSshCertificate } from './answers.ts';

export const presentCertificate = ({ id, title, key, created_at }: Row): GroupSshCertificate => ({
  id,
  title,
  key,
  created_at,
});
