import { AccessLevel } from '../../core/access-levels.ts';
import type { Answer } from './export-source.ts';

const NAMES = new Map<number, string>(Object.entries(AccessLevel).map(([name, level]) => [level, name]));

/** The name of an access level. */
export const levelName = (level: unknown): unknown => NAMES.get(Number(level)) ?? level;

/** Who may do something to a protected branch or tag, as the seed has it. */
export interface LevelSource {
  /** Username by id; undefined for a user who is not exported. */
  user(id: number): string | undefined;
  /** Full path of a group by id. */
  group(id: number): string | undefined;
}

/** Access levels of an answer as parameters: `allowed_to_push` and its siblings. */
export function allowedTo(levels: unknown, source: LevelSource): Answer[] {
  const all = (levels ?? []) as Answer[];
  return all
    .filter(({ deploy_key_id: key }) => typeof key !== 'number')
    .map((level): Answer => {
      if (typeof level.user_id === 'number') return { user: source.user(level.user_id) };
      if (typeof level.group_id === 'number') return { group: source.group(level.group_id) };
      return { access_level: levelName(level.access_level) };
    });
}
