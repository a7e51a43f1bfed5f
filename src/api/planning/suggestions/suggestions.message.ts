import type { User } from '../../../db/tables/users.table.ts';
import { fillTemplate } from '../merge-requests/merging/merging.template.ts';

const TEMPLATE = `Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)

%{co_authored_by}`;

/** Data for the message of a commit that applies suggestions. */
export interface SuggestionMessage {
  /** Template of the request; undefined or blank for that of the project. */
  message: string | undefined;
  /** Template of the target project; null or blank for the default one. */
  template: string | null;
  project: { full_path: string; name: string };
  branch: string;
  /** Paths of the changed files, without duplicates. */
  paths: readonly string[];
  /** Number of suggestions. */
  count: number;
  /** Who applies them. */
  user: User;
  /** Who made them, without duplicates. */
  authors: readonly User[];
}

/** The message of a commit that applies suggestions. */
export function suggestionMessage(data: SuggestionMessage): string {
  const { message, template, project, branch, paths, count, user, authors } = data;
  const files = paths.join(', ');
  const values = new Map([
    ['branch_name', branch],
    ['files_count', String(paths.length)],
    ['file_path', files],
    ['file_paths', files],
    ['project_path', project.full_path],
    ['project_name', project.name],
    ['suggestions_count', String(count)],
    ['username', user.username],
    ['user_full_name', user.name],
    ['co_authored_by', authors.map(({ name, ...at }) => `Co-authored-by: ${name} <${emailOf(at)}>`).join('\n')],
  ]);
  return fillTemplate([message, template].find((each) => each != null && each.trim() !== '') ?? TEMPLATE, values);
}

/** The address of a user in commits. */
export const emailOf = ({ commit_email, email }: Pick<User, 'commit_email' | 'email'>): string => commit_email ?? email;
