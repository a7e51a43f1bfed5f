import type { SshKey } from '../../../db/tables/ssh-keys.table.ts';

export const presentSshKey = (row: SshKey) => ({
  id: row.id,
  title: row.title,
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
  key: row.key,
  usage_type: row.usage_type,
});
