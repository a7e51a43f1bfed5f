export const userSignInAddresses = `
alter table users add column skype {text} not null default '';
alter table users add column current_sign_in_ip {text};
alter table users add column last_sign_in_ip {text};
`;
