export const broadcastColors = `
alter table broadcast_messages add column color {text} not null default '#E75E40';
`;
