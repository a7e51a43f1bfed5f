export const expiries = `
create index members_expires on members (expires_at, id) where expires_at is not null;
create index group_links_expires on group_links (expires_at, id) where expires_at is not null;
`;
