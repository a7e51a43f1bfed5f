import type { DomainEvents, DomainEventType } from '../../src/core/core.domain-events.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import type { TestApp, TestClock } from './app.ts';
import { makeMergeRequest } from './merge-request.ts';
import { Rows } from './rows.ts';

/** Lets things happen that the activity feed tells of, without the endpoints that do them. */
export class Happenings {
  readonly #app: TestApp;
  readonly #clock: TestClock;
  readonly #rows: Rows;

  constructor(app: TestApp, clock: TestClock) {
    this.#app = app;
    this.#clock = clock;
    this.#rows = new Rows(app.deps);
  }

  /** Records what services record, a second after what was before. */
  async happen<T extends DomainEventType>(
    type: T,
    payload: DomainEvents[T],
    about: { projectId: number; actorId: number | null },
  ): Promise<void> {
    this.#clock.advance(1_000);
    await this.#app.deps.events.record(this.#app.deps.db, type, payload, about);
  }

  /**
   * Eleven things of all kinds by one user, in this order: an issue, a confidential issue of somebody else, a merge
   * request, a private snippet of somebody else, a removed branch, and comments on the issue, internal on the issue, on
   * the confidential issue, on the merge request, on the snippet and on a commit.
   */
  async everything({ id: project_id }: Pick<Project, 'id'>, actorId: number) {
    const about = { projectId: project_id, actorId };
    const issue = await this.#rows.issue(project_id, { author_id: actorId });
    const secret = await this.#rows.issue(project_id, { confidential: 1 });
    const mergeRequest = await makeMergeRequest(this.#app, { id: project_id }, { author_id: actorId });
    const snippet = await this.#rows.snippet(project_id, 'private');
    await this.happen('issue.created', { issue_id: issue.id, project_id }, about);
    await this.happen('issue.created', { issue_id: secret.id, project_id }, about);
    await this.happen('merge_request.created', { merge_request_id: mergeRequest.id, project_id }, about);
    await this.happen('snippet.created', { snippet_id: snippet.id, project_id }, about);
    const updates = [{ ref: 'refs/heads/gone', old: 'a'.repeat(40), new: null }];
    await this.happen('push', { project_id, updates, push_options: [], via: 'git' }, about);
    const onIssue = { type: 'Issue', id: issue.id, projectId: project_id } as const;
    const onCommit = { noteable_type: 'Commit', noteable_id: null, commit_id: 'a'.repeat(40) } as const;
    const notes = [];
    for (const [on, columns] of [
      [onIssue, {}],
      [onIssue, { internal: 1 }],
      [{ ...onIssue, id: secret.id }, {}],
      [{ ...onIssue, type: 'MergeRequest', id: mergeRequest.id }, { type: 'DiscussionNote' }],
      [{ ...onIssue, type: 'Snippet', id: snippet.id }, {}],
      [onIssue, onCommit],
    ] as const) {
      const note = await this.#rows.note(on, { author_id: actorId, ...columns });
      notes.push(note);
      await this.happen('note.created', { note_id: note.id, project_id, noteable_type: note.noteable_type }, about);
    }
    await this.#app.drain();
    return { issue, secret, mergeRequest, snippet, notes };
  }
}
