import { expectStatus, type TestApp } from './app.ts';

export interface FlagScope {
  id: number;
  environment_scope: string;
}

export interface FlagStrategy {
  id: number;
  name: string;
  parameters: Record<string, string>;
  scopes: FlagScope[];
  user_list: { id: number; iid: number; name: string; user_xids: string } | null;
}

/** A feature flag as the API answers it. */
export interface Flag {
  name: string;
  active: boolean;
  description: string | null;
  strategies: FlagStrategy[];
}

/** The strategy that is on for everybody. */
export const DEFAULT = { name: 'default', parameters: {} };

/** A strategy that is on for half of the users. @param more parameters in the place of others */
export const rollout = (more: object = {}) => ({
  name: 'flexibleRollout',
  parameters: { groupId: 'default', rollout: '50', stickiness: 'userId', ...more },
});

/** A project whose flags are made through the API. */
export async function flagProject(app: TestApp) {
  const project = await app.make.project();
  const home = `/projects/${project.id}`;
  const path = `${home}/feature_flags`;
  return {
    project,
    path,
    create: async (json: object) => expectStatus<Flag>(await app.post(path, { json }), 201),
    change: async (name: string, json: object) => expectStatus<Flag>(await app.put(`${path}/${name}`, { json }), 200),
    /** A user list with these ids. */
    list: async (user_xids = 'ada,bo') =>
      expectStatus<{ id: number; iid: number }>(
        await app.post(`${home}/feature_flags_user_lists`, {
          json: { name: `list ${user_xids.slice(0, 20)}`, user_xids },
        }),
        201,
      ),
    /** What its programs show. */
    client: async () =>
      expectStatus<{ instance_id: string; url: string }>(await app.get(`${home}/feature_flags_client`), 200),
  };
}
