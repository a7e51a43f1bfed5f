import { effectivePlan } from '../../../access/access.plan.ts';
import type { Deps } from '../../../deps.ts';
import { route } from '../../../http/http.route.ts';
import { allSettings, storedSettings } from '../../../settings/application-settings.ts';
import { administrator, onServer } from '../../api.access.ts';
import { Settings, settingsInput } from './application-settings.schemas.ts';
import { presentSettings } from './application-settings.views.ts';
import { changeSettings } from './application-settings.writes.ts';

const NAMES = Object.keys(settingsInput.properties);

const shown = async (deps: Deps) =>
  presentSettings(deps.db, await effectivePlan(deps), await allSettings(deps), await storedSettings(deps));

/** Application settings. */
export const applicationSettingsRoutes = [
  route({
    method: 'GET',
    path: '/application/settings',
    summary: 'Get the settings of the server',
    description: 'Credentials of other services are shown as `*****`.',
    access: administrator,
    success: { status: 200, schema: Settings },
    handler: ({ deps }) => shown(deps),
  }),
  route({
    method: 'PUT',
    path: '/application/settings',
    summary: 'Change the settings of the server',
    description: 'Settings that are not given stay as they are; unknown names are ignored.',
    access: onServer('admin_settings'),
    duringMaintenance: true,
    input: settingsInput,
    rules: { atLeastOne: [NAMES] },
    success: { status: 200, schema: Settings },
    errors: [400],
    handler: async ({ deps, input }) => {
      await changeSettings(deps, input);
      return shown(deps);
    },
  }),
];
