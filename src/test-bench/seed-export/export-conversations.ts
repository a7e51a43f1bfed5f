import { type Answer, compact, type ExportSource, flags, listAll, pick, usernameOf } from './export-source.ts';

/** Comments and threads of users, emoji and times of an issue or merge request. @param path of it, below /api/v4 */
export async function conversationOf(source: ExportSource, path: string, issuable: Answer): Promise<Answer> {
  const discussions = issuable.user_notes_count === 0 ? [] : await listAll(source, `${path}/discussions`);
  const notes: Answer[] = [];
  const threads: Answer[] = [];
  for (const { individual_note: single, notes: all } of discussions) {
    const written = (all as Answer[]).filter(({ system }) => system !== true);
    const [first] = written;
    if (first === undefined) continue;
    if (single === true)
      notes.push({ ...noteOf(first), ...(await emojiOf(source, `${path}/notes/${String(first.id)}`)) });
    else threads.push(threadOf(written, first));
  }
  const times = (issuable.time_stats ?? {}) as Answer;
  return compact({
    notes,
    discussions: threads,
    ...(await emojiOf(source, path)),
    time_estimate: durationOf(times.time_estimate),
    time_spent: durationOf(times.total_time_spent),
  });
}

const noteOf = (note: Answer): Answer => ({
  ...compact({ author: usernameOf(note.author), body: note.body, created_at: note.created_at }),
  ...flags(note, ['internal']),
});

function threadOf(notes: readonly Answer[], first: Answer): Answer {
  const position = first.position as Answer | null | undefined;
  const place =
    position?.position_type === 'text' ? pick(position, ['old_path', 'new_path', 'old_line', 'new_line']) : {};
  const isResolved = notes.some(({ resolved }) => resolved === true);
  return compact({
    notes: notes.map(noteOf),
    position: 'new_line' in place || 'old_line' in place ? place : undefined,
    resolved: isResolved ? true : undefined,
    resolved_by: isResolved ? usernameOf(first.resolved_by) : undefined,
  });
}

async function emojiOf(source: ExportSource, path: string): Promise<Answer> {
  const emoji = await listAll(source, `${path}/award_emoji`);
  return compact({
    award_emoji: emoji.map(({ name, user, created_at }) => compact({ name, user: usernameOf(user), created_at })),
  });
}

const durationOf = (seconds: unknown): string | undefined => (Number(seconds) > 0 ? `${String(seconds)}s` : undefined);
