import type { Insertable } from 'kysely';
import { newDiscussionId } from '../../src/api/planning/notes/system-note.ts';
import type { Visibility } from '../../src/core/access-levels.ts';
import { timestamp } from '../../src/core/clock.ts';
import type { Issue, IssuesTable } from '../../src/db/tables/issues.table.ts';
import type { Note, NotesTable } from '../../src/db/tables/notes.table.ts';
import type { Snippet } from '../../src/db/tables/snippets.table.ts';
import type { NoteableType } from '../../src/db/tables/tables.kinds.ts';
import type { Deps } from '../../src/deps.ts';

/** Makes rows of what can be discussed, without the endpoints that make them, and without their events. */
export class Rows {
  readonly #deps: Deps;
  #count = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  #dated() {
    const now = timestamp(this.#deps.clock);
    this.#count += 1;
    return { created_at: now, updated_at: now };
  }

  issue(projectId: number, columns: Partial<Insertable<IssuesTable>> = {}): Promise<Issue> {
    const dated = this.#dated();
    const n = this.#count;
    return this.#deps.db
      .insertInto('issues')
      .values({ iid: n, project_id: projectId, author_id: 1, title: `Issue ${n}`, ...dated, ...columns })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  snippet(projectId: number | null, visibility: Visibility, authorId = 1): Promise<Snippet> {
    const dated = this.#dated();
    return this.#deps.db
      .insertInto('snippets')
      .values({
        project_id: projectId,
        author_id: authorId,
        title: `Snippet ${this.#count}`,
        visibility,
        repository_storage: 'default',
        disk_path: `snippets/test-${this.#count}`,
        ...dated,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }

  note(
    on: { type: NoteableType; id: number; projectId: number | null },
    columns: Partial<Insertable<NotesTable>> = {},
  ): Promise<Note> {
    return this.#deps.db
      .insertInto('notes')
      .values({
        project_id: on.projectId,
        noteable_type: on.type,
        noteable_id: on.id,
        discussion_id: newDiscussionId(),
        author_id: 1,
        note: 'A comment',
        ...this.#dated(),
        ...columns,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  }
}
