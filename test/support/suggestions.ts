import type { Project } from '../../src/db/tables/projects.table.ts';
import { expectStatus, type TestApp } from './app.ts';
import { commitFiles } from './commits.ts';
import type { TestUser } from './factories.ts';
import { ProjectGit } from './project-git.ts';

/** A suggestion as it is answered. */
export interface Suggestion {
  id: number;
  from_line: number;
  to_line: number;
  appliable: boolean;
  applied: boolean;
  from_content: string;
  to_content: string;
}

/** A note as it is answered, as far as tests look at it. */
export interface SuggestingNote {
  id: number;
  body: string;
  resolved: boolean;
  resolved_by: { id: number } | null;
  suggestions?: Suggestion[];
}

/** Lines of a file, from 1: `line 1` and so on. */
export const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`);
/** A block that suggests lines. */
export const block = (content: string, offsets = ''): string => `\`\`\`suggestion${offsets}\n${content}\`\`\`\n`;

/** A merge request whose branch `topic` adds `a.txt` with 20 lines, and `b.txt` with 3. */
export class SuggestionScene {
  readonly project: Project;
  readonly path: string;
  readonly #app: TestApp;
  readonly #source: Project;
  #refs: Record<string, unknown> = {};

  private constructor(app: TestApp, project: Project, source: Project, iid: number) {
    this.#app = app;
    this.project = project;
    this.#source = source;
    this.path = `/projects/${project.id}/merge_requests/${iid}`;
  }

  /** @param options `source`: a fork with `main`, whose owner opens the merge request; `files`: of the branch */
  static async open(
    app: TestApp,
    project: Project,
    {
      author,
      source = project,
      files = { 'a.txt': lines(20).join(''), 'b.txt': lines(3).join('') },
      ...more
    }: { author?: TestUser; source?: Project; files?: Record<string, string>; [attribute: string]: unknown } = {},
  ): Promise<SuggestionScene> {
    const git = new ProjectGit(app, project);
    git.commit('main', { 'README.md': 'Hello\n' });
    const sourceGit = source === project ? git : new ProjectGit(app, source);
    if (source !== project) sourceGit.run(['fetch', '--quiet', '--force', git.dir, 'refs/heads/main:refs/heads/main']);
    sourceGit.commit('topic', files, { start: sourceGit.run(['rev-parse', 'refs/heads/main']).trim() });
    const json = {
      title: 'Change',
      source_branch: 'topic',
      target_branch: 'main',
      target_project_id: project.id,
      ...more,
    };
    const opened = await app.post(`/projects/${source.id}/merge_requests`, {
      json,
      ...(author === undefined ? {} : { token: author.token }),
    });
    const scene = new SuggestionScene(app, project, source, expectStatus<{ iid: number }>(opened, 201).iid);
    await app.drain();
    scene.#refs = expectStatus<{ diff_refs: Record<string, unknown> }>(await app.get(scene.path), 200).diff_refs;
    return scene;
  }

  /** The position of a line that the branch added. */
  position(new_line: number, path = 'a.txt'): Record<string, unknown> {
    return { ...this.#refs, position_type: 'text', old_path: path, new_path: path, new_line };
  }

  /** Starts a thread on a line. */
  async comment(
    body: string,
    line: number,
    { path, token, ...more }: { path?: string; token?: string; [attribute: string]: unknown } = {},
  ): Promise<{ id: string; note: SuggestingNote }> {
    const response = await this.#app.post(`${this.path}/discussions`, {
      json: { body, position: this.position(line, path), ...more },
      ...(token === undefined ? {} : { token }),
    });
    const thread = expectStatus<{ id: string; notes: SuggestingNote[] }>(response, 201);
    return { id: thread.id, note: thread.notes[0]! };
  }

  /** Suggests a content for a line, and returns the suggestion. */
  async suggest(
    content: string,
    line: number,
    { offsets, ...options }: { offsets?: string; path?: string; token?: string; [attribute: string]: unknown } = {},
  ): Promise<Suggestion> {
    return (await this.comment(block(content, offsets), line, options)).note.suggestions![0]!;
  }

  /** Reads a note again. */
  async note(id: number): Promise<SuggestingNote> {
    return expectStatus<SuggestingNote>(await this.#app.get(`${this.path}/notes/${id}`), 200);
  }

  /** Changes a file of the branch. */
  async push(content: string, path = 'a.txt'): Promise<string> {
    const actions = [{ action: 'update', file_path: path, content }];
    return (await commitFiles(this.#app, this.#source.id, actions, { branch: 'topic' })).id;
  }

  /** The content of a file of the branch. */
  async content(path = 'a.txt'): Promise<string> {
    const file = encodeURIComponent(path);
    const response = await this.#app.get(`/projects/${this.#source.id}/repository/files/${file}/raw?ref=topic`);
    return response.body;
  }
}
