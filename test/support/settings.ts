import { expectStatus, type TestApp } from './app.ts';

/** Changes settings of the installation, as an administrator does. @returns all of them */
export const changeSettings = async (app: TestApp, json: object): Promise<Record<string, unknown>> =>
  expectStatus(await app.put('/application/settings', { json }), 200);

/** Takes all settings back to what they are of themselves. */
export async function resetSettings({ deps }: TestApp): Promise<void> {
  await deps.db.deleteFrom('instance_values').where('key', '=', 'application_settings').execute();
  await deps.settings.refresh();
}
