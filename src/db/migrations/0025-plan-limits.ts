export const planLimits = `
create table plan_limits (
  plan {text} primary key,
  limits {text} not null default '{}',
  history {text} not null default '{}',
  updated_at {text} not null
);
`;
