import { Type } from 'typebox';
import { Day, Enum, Instant, Nullable } from '../../../http/http.schema.ts';
import { LICENSED_PLANS } from '../../../licence/terms.ts';

const fields = {
  id: Type.Integer(),
  plan: Enum(LICENSED_PLANS),
  created_at: Instant(),
  starts_at: Day(),
  expires_at: Nullable(Day()),
  historical_max: Type.Integer(),
  maximum_user_count: Type.Integer(),
  licensee: Type.Object({ Name: Type.String(), Email: Type.String(), Company: Type.String() }),
  add_ons: Type.Record(Type.String(), Type.Integer()),
  expired: Type.Boolean(),
  overage: Type.Integer(),
  user_limit: Type.Integer(),
};

/** A license as lists show it (part 2, section 2). */
export const LicenseBasic = Type.Object(fields);

/** A license with its current number of billable users. */
export const License = Type.Object({ ...fields, active_users: Type.Integer() });
