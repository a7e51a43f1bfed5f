/**
 * Introduction of the reference: how to sign in, and first calls to copy. Markdown.
 * @param base URL of the server, without a trailing slash
 */
export const introduction = (base: string): string => `A source-hosting server, wire-compatible with version 4 of the
GitLab REST API: clients of that API work unmodified.

## Sign in

Send an access token in the header \`PRIVATE-TOKEN\`. The administrator's token is printed by the first start of the
server; users make their own with \`POST /api/v4/user/personal_access_tokens\`, administrators make them for others with
\`POST /api/v4/users/:user_id/personal_access_tokens\`.

A first call, which shows the user of the token:

\`\`\`sh
curl --header "PRIVATE-TOKEN: $TOKEN" "${base}/api/v4/user"
\`\`\`

OAuth tokens are sent as \`Authorization: Bearer ...\`, which also accepts access tokens. Without a token, only public
resources are visible.

## Create something

\`\`\`sh
curl --header "PRIVATE-TOKEN: $TOKEN" --data "name=hello" "${base}/api/v4/projects"
curl --header "PRIVATE-TOKEN: $TOKEN" --data "title=Nobody is greeted" "${base}/api/v4/projects/root%2Fhello/issues"
\`\`\`

Parameters are sent in the query string or the body, as JSON, form or multipart. The \`:id\` of a project or group is its
number or its full path, URL-encoded: \`root%2Fhello\`.

## Answers

- Lists are paginated (\`page\`, \`per_page\`); the headers \`Link\`, \`X-Next-Page\` and \`X-Total\` describe the pages.
- Errors have a \`message\` that says what to change. Resources that you may not see are 404.
- Every answer has an \`X-Request-Id\`, which is also in the server's log.
`;
