export const licences = `
create table licenses (
  id {id},
  data {text} not null,
  created_at {text} not null
);

create table billable_user_counts (
  day {text} primary key,
  users {int} not null,
  recorded_at {text} not null
);
`;
