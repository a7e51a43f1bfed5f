const MAX_BASE = 51;

/** `2026-01-31_09-05-123_group_project_export.tar.gz` (registry facts 7.1). */
export function archiveName({ full_path }: { full_path: string }, { updated_at }: { updated_at: string }): string {
  const [day = '', time = ''] = updated_at.split('T');
  const stamp = `${day}_${time.slice(0, 5).replace(':', '-')}-${time.slice(9, 12)}`;
  return `${`${stamp}_${full_path.replaceAll('/', '_')}`.slice(0, MAX_BASE)}_export.tar.gz`;
}
