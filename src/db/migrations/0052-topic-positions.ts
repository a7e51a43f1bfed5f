/** Topics of a project stand in the order in which they were given; those of before in that of the alphabet. */
export const topicPositions = `
alter table project_topics add column position {int} not null default 0;
`;
