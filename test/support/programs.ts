import { expectStatus, type TestApp } from './app.ts';
import { pushTo } from './hooks.ts';
import type { ProgramReceiver } from './program-receiver.ts';

type Json = Record<string, unknown>;

/** A project with an integration, and what happens in it. */
export async function projectWith(app: TestApp, slug: string, settings: Json) {
  const project = await app.make.project();
  const at = `/projects/${project.id}`;
  /** Sets it up as before, but for what is given. */
  const set = async (json: Json) =>
    expectStatus<Json>(await app.put(`${at}/integrations/${slug}`, { json: { ...settings, ...json } }), 200);
  await set({});
  const push = (branch?: string, file?: string) => pushTo(app, project.id, branch, file);
  const issue = async (json: Json = {}) =>
    expectStatus<{ iid: number }>(await app.post(`${at}/issues`, { json: { title: 'Broken', ...json } }), 201);
  const pipeline = async (sha: string, state: string) =>
    expectStatus<Json>(await app.post(`${at}/statuses/${sha}`, { json: { state, name: 'ci', ref: 'main' } }), 201);
  return { project, at, set, push, issue, pipeline, web: `${app.deps.externalUrl()}/${project.full_path}` };
}

/** What a receiver got, as it is compared: of JSON and forms what they hold. */
export const gotBy = (receiver: ProgramReceiver) =>
  receiver.got.map(({ method, path, headers, text }) => ({
    method,
    path,
    type: headers['content-type'] ?? null,
    auth: headers.authorization ?? null,
    body: headers['content-type'] === 'application/json' ? (JSON.parse(text) as Json) : text,
  }));

/** The payloads of a Slack-like chat. */
export const slackBodies = (receiver: ProgramReceiver): Json[] =>
  receiver.got.map(({ text }) => JSON.parse(new URLSearchParams(text).get('payload') ?? 'null') as Json);
