export const snippetSizes = `
alter table snippets add column repository_size {int} not null default 0;
`;
