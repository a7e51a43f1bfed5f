/** Changes that comments on lines of merge requests suggest. */
export const suggestions = `
create table suggestions (
  id {id},
  note_id {int} not null references notes (id) on delete cascade,
  relative_order {int} not null,
  lines_above {int} not null,
  lines_below {int} not null,
  from_content {text} not null,
  to_content {text} not null,
  outdated {int} not null default 0,
  commit_id {text},
  unique (note_id, relative_order)
);
`;
