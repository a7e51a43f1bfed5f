import { parseJson } from '../../db/columns.ts';
import type { Project } from '../../db/tables/projects.table.ts';

/** Pull mirror settings of a project: attributes in `projects.settings`. */
export interface MirrorSettings {
  mirror: boolean;
  /** User in whose name and with whose rights updates run. */
  mirror_user_id: number | null;
  mirror_trigger_builds: boolean;
  only_mirror_protected_branches: boolean;
  mirror_overwrites_diverged_branches: boolean;
  /** RE2; only without `only_mirror_protected_branches`. */
  mirror_branch_regex: string | null;
}

export const DEFAULT_MIRROR_SETTINGS: Readonly<MirrorSettings> = {
  mirror: false,
  mirror_user_id: null,
  mirror_trigger_builds: false,
  only_mirror_protected_branches: false,
  mirror_overwrites_diverged_branches: false,
  mirror_branch_regex: null,
};

/** Pull mirror settings of a project, with defaults. */
export function mirrorSettings(project: Pick<Project, 'settings'>): MirrorSettings {
  const stored = parseJson<Partial<MirrorSettings>>(project.settings);
  const names = Object.keys(DEFAULT_MIRROR_SETTINGS) as (keyof MirrorSettings)[];
  const own = names.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]] as const]));
  return { ...DEFAULT_MIRROR_SETTINGS, ...Object.fromEntries(own) };
}
