/** A requested personal access token. */
export interface NewPersonalToken {
  name: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  expiresAt: string;
}

/** A new token with its secret, which is not available later. */
export interface PersonalToken {
  token: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`; null for never. */
  expiresAt: string | null;
}
